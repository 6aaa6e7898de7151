internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Takes records back to what the server has of them after it refused changes of them, inside one transaction.
///
/// What the reply says of a record is joined in like a page's: a row without a waiting put holds what the confirmed slots say, at any
/// time (decision 125).
struct Reversal {
    private let database: Database
    private let rows: RowStore
    private let stamps: EffectiveStamps
    private var isPullingAnew: Bool
    private var page: PageApplication

    /// What was refused of a record.
    struct Refused {
        /// Whether its row holds a put that was refused.
        var isEdited = false
        /// Whether the server says that what the put edits was purged.
        var isGone = false
    }

    /// - Parameter digest: That of all confirmed slots, as they are now.
    init(_ database: Database, _ layout: Layout, digest: ScopeDigest, now: Int64) throws {
        self.database = database
        let state = StateStore(database: database)
        isPullingAnew = try state.pullingAnew != nil
        rows = try RowStore(database, layout)
        stamps = EffectiveStamps(database: database, replica: try state.replica)
        page = try PageApplication(database, layout, now: now)
        page.startDigest(digest)
    }

    /// - Parameter server: The server's slots, as the reply has them, which may be that to an earlier attempt; `nil` where it has none.
    mutating func takeBack(_ key: RecordKey, to server: RecordState?, _ refused: Refused) throws {
        let before = try stamps.confirmed(key)
        // Written again since: what is shown is the newer local content, and a page will bring the server's.
        guard try stamps.pending(key).put == nil else { return try page.noteChange(of: key, before) }
        // Damage may have taken the row of a delete that waited.
        var isWritten = try !refused.isEdited && (rows.place(of: key) != .nowhere || rows.isUnfit(key))
        if let server {
            if isPullingAnew { try PulledAnew(database: database).join(server) }
            if refused.isEdited { page.overwritten.insert(key) }
            try page.merge(server)
            isWritten = try isWritten || stamps.confirmed(key).put != before.put
        }
        if !isWritten { try restore(key, before, server, isGone: refused.isGone) }
        try page.noteChange(of: key, stamps.confirmed(key))
    }

    /// Writes the content of a put that is confirmed, and that the row does not hold.
    mutating func show(_ encoded: [UInt8], of key: RecordKey) throws {
        try page.write(encoded, to: key, over: nil)
        try page.noteChange(of: key, stamps.confirmed(key))
    }

    /// Lets what follows from a record's slots be derived anew.
    mutating func derive(_ key: RecordKey) throws { try page.noteChange(of: key, stamps.confirmed(key)) }

    /// Derives what follows, and writes down the digest.
    ///
    /// - Parameters:
    ///   - values: What else is to be set.
    ///   - offset: What the clock has learned, in milliseconds.
    /// - Returns: How many changes of this device what the server has was found to beat.
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
            // A delete stays: another page may have brought it since the server gave its answer. What was refused does not stay: whoever
            // finds a row that nothing accounts for takes it for a change that waits.
            try page.forget(key, except: stamps.confirmed(key).delete, comesAgain: !isGone)
            // What was edited is nowhere any more but on the server, unless a page is to come that says that it was purged.
            guard !isGone, !isPullingAnew else { return }
            try PulledAnew(database: database).start(.differs)
            isPullingAnew = true
        }
    }
}
