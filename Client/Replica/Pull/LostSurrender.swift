internal import GRDB
internal import RoostMerge
internal import RoostModel

/// The surrender of slots that the server has lost and does not take back, inside one transaction.
///
/// Each is resent as a new change of this device, or goes to the journal.
struct LostSurrender {
    private let database: Database
    private let own: Set<ReplicaID>
    private let mayWrite: Bool
    private let journal: Journal
    private let pulled: ServerCopy
    private let lost: LostRecords
    private let rows: RowStore
    private let stamps: EffectiveStamps
    private let wall: UInt64
    private var clock: HybridClock
    private var page: PageApplication

    /// The number of records with a change that went to the journal.
    private(set) var journaled = 0
    /// The number of records with a change of this device that is resent.
    private(set) var renewed = 0

    init(_ database: Database, _ layout: Layout, now: Int64, mayWrite: Bool) throws {
        self.database = database
        self.mayWrite = mayWrite
        let state = StateStore(database: database)
        own = try state.ownReplicas
        journal = Journal(database: database, now: now)
        pulled = ServerCopy(database: database)
        lost = LostRecords(database: database)
        rows = try RowStore(database, layout)
        stamps = EffectiveStamps(database: database, replica: try state.replica)
        wall = UInt64(clamping: now)
        clock = try state.hybridClock
        page = try PageApplication(database, layout, now: now)
        page.hasPending = true
    }

    mutating func run() throws {
        let states = try lost.next(limit: -1, bytesMax: .max)
        // All resent changes form one transaction: nothing tells any more which of them were written together.
        try StateStore(database: database).beginTransaction()
        for state in states { try giveUp(state) }
        try StateStore(database: database).endTransaction()
        try lost.forgetAll()
        try database.query("DELETE FROM roost_pulled").run()
        try StateStore(database: database).receive(clock.last)
        _ = try page.finish()
        try journal.event(
            "history",
            "The server takes nothing back of what it lost: \(renewed) records with changes of this device are sent anew, "
                + "\(journaled) with changes of others are in the journal.")
    }

    private mutating func giveUp(_ state: RecordState) throws {
        let server = try pulled.state(of: state.key) ?? RecordState(key: state.key)
        let joined = server.joined(with: state).stamps
        let pending = try stamps.pending(state.key)
        var goesAnew = false
        var isJournaled = false
        if let put = state.put, server.put.map({ $0.stamp < put.stamp }) ?? true, pending.put == nil {
            // A put is not resent if its record was deleted here since, or if its content has no row.
            let isHeld = try pending.delete == nil && rows.readablePut(of: state.key) != nil
            if mayWrite, isHeld, joined.own == .put, own.contains(put.stamp.replica) {
                try sendAnew(state.key, .put)
                // The base is the server's present put. Without one it is the lost put, and not nil: the server may have purged
                // the record since, and a create would revive it.
                try Outbox(database: database).setBase(server.put?.stamp ?? put.stamp, of: state.key)
                goesAnew = true
            } else {
                isJournaled = try write(state.key, put.stamp, put.encoded)
            }
        }
        if let delete = state.delete, server.delete.map({ $0 < delete }) ?? true, pending.delete == nil,
            // A put written since then brings the record back.
            pending.put.map({ $0 < delete }) ?? true
        {
            // A delete that is beaten by a put decides nothing. A delete of a record that the server does not have decides:
            // another device may still bring the record back. Where the server has another delete, nothing is sent.
            let decides = joined.own != .put
            let isDeletedThere = server.delete != nil && server.stamps.own != .put
            if decides, !isDeletedThere, mayWrite, own.contains(delete.replica) {
                try sendAnew(state.key, .delete)
                goesAnew = true
            } else if decides {
                isJournaled = try write(state.key, delete, nil) || isJournaled
            }
        }
        try page.replace(with: server)
        renewed += goesAnew ? 1 : 0
        journaled += isJournaled ? 1 : 0
    }

    private mutating func sendAnew(_ key: RecordKey, _ slot: Outbox.Slot) throws {
        try Outbox(database: database).add(key, slot, time: clock.tick(wall: wall))
    }

    private func write(_ key: RecordKey, _ stamp: HybridTimestamp, _ put: [UInt8]?) throws -> Bool {
        try journal.record(
            .lost, key, stamp: stamp, put: put,
            reason: "The server was restored from an older copy that does not have it, and takes nothing back.")
    }
}
