internal import GRDB
internal import RoostMerge
internal import RoostModel

/// A renewal of the stamps of all pending changes, in order, after the server found them ahead of its clock.
struct Restamping {
    let database: Database

    /// Gives all pending changes new stamps, and discards sealed pushes of which the server has no part.
    ///
    /// - Parameters:
    ///   - serverTime: Milliseconds since 1970 by the server's clock.
    ///   - wall: Milliseconds since 1970 by this machine's clock.
    func restamp(serverTime: UInt64, wall: UInt64) throws {
        let state = StateStore(database: database)
        // The clock itself ran ahead, so it returns to the last reading that others have seen.
        let seen = UInt64(clamping: try state.integer(.seen) ?? 0)
        let acknowledged =
            try database.query(
                "SELECT max(max(coalesce(put_stamp, x''), coalesce(del_stamp, x''))) FROM roost_fact"
            ).first { $0.stamp(0)?.time } ?? nil
        var clock = HybridClock()
        clock.receive(max(seen, acknowledged ?? 0))
        clock.learn(server: serverTime, wall: wall)
        let outbox = Outbox(database: database)
        let entries = try outbox.entries()
        let restamped = entries.map { entry in
            var put = entry.put
            var delete = entry.delete
            let putIsFirst = (put ?? 0) < (delete ?? .max)
            if put != nil, putIsFirst { put = Int64(clamping: clock.tick(wall: wall)) }
            if delete != nil { delete = Int64(clamping: clock.tick(wall: wall)) }
            if put != nil, !putIsFirst { put = Int64(clamping: clock.tick(wall: wall)) }
            return (key: entry.key, put: put, delete: delete)
        }
        try outbox.setStamps(restamped, of: entries.count)
        try state.setClock(clock.last, offsetMilliseconds: clock.offsetMilliseconds)
        // Sealed pushes carry the old stamps, and the server has stored none of them. Parts that the server holds stay recorded:
        // pushes that are sealed next must not complete them (``Sealed/leftParts``).
        try database.query("DELETE FROM roost_push WHERE staged = 0").run()
    }
}
