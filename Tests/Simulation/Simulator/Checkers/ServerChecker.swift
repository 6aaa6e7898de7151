internal import RoostModel
internal import RoostService

/// I3 at the server: its slots are the join of all changes that it ever accepted, and its digest matches them.
enum ServerChecker {
    static func check(_ server: ServerView, _ ledger: Ledger) throws {
        for (key, _) in ledger.records {
            let expected = ledger.slots(of: key)
            let found = server.records[key]?.state.stamps ?? SlotStamps()
            guard expected == found else {
                throw Violation(
                    .acknowledged,
                    "record \(key): the server has \(describe(found)), accepted was \(describe(expected))")
            }
        }
        for key in server.records.keys where ledger.records[key] == nil {
            throw Violation(.acknowledged, "record \(key) is on the server, and nobody pushed it")
        }
        var digest = ScopeDigest()
        for (key, record) in server.records { digest.replace(SlotStamps(), with: record.state.stamps, of: key) }
        guard digest == server.scope.head.digest else {
            throw Violation(.integrity, "the server's digest is not that of its records")
        }
    }

    static func describe(_ slots: SlotStamps) -> String {
        "put \(slots.put.map { "\($0.stamp)" } ?? "none"), delete \(slots.delete.map { "\($0)" } ?? "none")"
    }
}
