internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Reverts records to the server's slots after the server has refused changes of them, inside one transaction.
///
/// The slots in the reply are joined like those of a page, because a row without a pending put holds the content of its
/// confirmed slots at any time (decision 125).
struct Reversal {
    private let database: Database
    private let rows: RowStore
    private let stamps: EffectiveStamps
    private var isPullingAnew: Bool
    private var page: PageApplication

    /// The refused changes of a record.
    struct Refused {
        /// Whether the record's row holds a refused put.
        var isEdited = false
        /// Whether the server says that the record edited by the put was purged.
        var isGone = false
    }

    /// - Parameter digest: The present digest of all confirmed slots.
    init(_ database: Database, _ layout: Layout, digest: ScopeDigest, now: Int64) throws {
        self.database = database
        let state = StateStore(database: database)
        isPullingAnew = try state.pullingAnew != nil
        rows = try RowStore(database, layout)
        stamps = EffectiveStamps(database: database, replica: try state.replica)
        page = try PageApplication(database, layout, now: now)
        page.startDigest(digest)
    }

    /// Reverts one record.
    ///
    /// - Parameter server: The server's slots from the reply, which may belong to an earlier attempt; `nil` where it has none.
    mutating func revert(_ key: RecordKey, to server: RecordState?, _ refused: Refused) throws {
        let before = try stamps.confirmed(key)
        // The record was written again since: its row shows newer local content, and a page will bring the server's.
        guard try stamps.pending(key).put == nil else { return try page.recordChange(of: key, before) }
        // Corruption may have removed the row of a pending delete.
        var isWritten = try !refused.isEdited && (rows.place(of: key) != .nowhere || rows.isUnfit(key))
        if let server {
            if isPullingAnew { try ServerCopy(database: database).join(server) }
            if refused.isEdited { page.overwritten.insert(key) }
            try page.merge(server)
            isWritten = try isWritten || stamps.confirmed(key).put != before.put
        }
        if !isWritten { try restore(key, before, server, isGone: refused.isGone) }
        try page.recordChange(of: key, stamps.confirmed(key))
    }

    /// Writes the content of a confirmed put that the row does not hold.
    mutating func show(_ encoded: [UInt8], of key: RecordKey) throws {
        try page.write(encoded, to: key, over: nil)
        try page.recordChange(of: key, stamps.confirmed(key))
    }

    /// Schedules the derivation of what follows from a record's slots.
    mutating func derive(_ key: RecordKey) throws { try page.recordChange(of: key, stamps.confirmed(key)) }

    /// Derives what follows, and stores the digest.
    ///
    /// - Parameters:
    ///   - values: Further values to set.
    ///   - offset: The offset of the server's clock that came with the reply, in milliseconds.
    /// - Returns: The number of changes of this device that the server's slots beat.
    func finish(setting values: [(name: StateStore.Name, value: Value)], offset: Int64?) throws -> Int {
        _ = try page.derive(setting: values, offset: offset)
        return page.report.beaten
    }

    /// Writes the confirmed content where the row holds a refused put.
    private mutating func restore(
        _ key: RecordKey, _ before: SlotStamps, _ server: RecordState?, isGone: Bool
    ) throws {
        guard let held = before.put else { return try rows.erase(key) }
        if let put = server?.put, put.stamp == held.stamp, ContentHash(of: put.encoded) == held.hash {
            try page.write(put.encoded, to: key, over: nil)
        } else if let put = try LostRecords(database: database).state(of: key)?.put, put.stamp == held.stamp {
            try page.write(put.encoded, to: key, over: nil)
        } else {
            // A confirmed delete stays, because a page may have brought it since the server's answer. The refused put does not
            // stay: a row that nothing accounts for would be taken for a pending change.
            try page.forget(key, except: stamps.confirmed(key).delete, comesAgain: !isGone)
            // Only the server still has the edited content, unless a page is to come that names the record as purged.
            guard !isGone, !isPullingAnew else { return }
            try ServerCopy(database: database).start(.refused)
            isPullingAnew = true
        }
    }
}
