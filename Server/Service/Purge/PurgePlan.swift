internal import RoostMerge
internal import RoostModel
internal import RoostProtocol

/// A plan of the records of a scope that may be purged, from one consistent state of it.
struct PurgePlan: Sendable {
    /// The state of the scope from which the plan was made.
    let scope: StoredScope
    let rules: ReferenceRules
    /// The sets of records that are purged together.
    let groups: PurgeGroups
    /// The time from which unchanged records could give another plan, in milliseconds since 1970; `nil` for never.
    let changesAt: UInt64?

    /// Reads a scope's records and chooses among them.
    ///
    /// - Parameters:
    ///   - horizonMilliseconds: The minimum age of a record's newest change.
    ///   - passed: The sequence that every active replica has.
    /// - Returns: `nil` if the scope does not exist.
    init?(
        of key: ScopeKey, in snapshot: any StoreSnapshot, horizonMilliseconds: UInt64, passed: UInt64, now: UInt64
    ) throws {
        guard let scope = try snapshot.scope(key), let text = try snapshot.schema(of: key) else { return nil }
        self.scope = scope
        rules = ReferenceRules(try Schema(json: text))
        let cutoff = now - min(now, horizonMilliseconds)
        var age = Age(cutoff: cutoff, passed: passed)
        // A scope without an old delete, the usual case, is scanned without loading it into memory.
        try snapshot.forEachRecord(in: key, after: 0) { sequence, _, message in
            age.look(at: try PurgePlan.read(message), sequence)
            return true
        }
        changesAt = age.nextMilliseconds.map { $0 + horizonMilliseconds + 1 }
        guard age.hasOldDelete else {
            groups = PurgeGroups()
            return
        }
        var keys: [RecordKey] = []
        keys.reserveCapacity(scope.head.records)
        try snapshot.forEachRecord(in: key, after: 0) { _, _, message in
            keys.append(try PurgePlan.read(message).key)
            return true
        }
        var graph = PurgeGraph(keys: consume keys, rules: rules)
        try snapshot.forEachRecord(in: key, after: 0) { sequence, _, message in
            let state = try PurgePlan.read(message)
            let facts = try RecordFacts(state)
            graph.add(state.key, facts, isReady: sequence <= passed && facts.newestMilliseconds < cutoff)
            return true
        }
        groups = try PurgeRule.groups(of: graph) { record in
            try snapshot.record(record, in: key).flatMap { stored in
                try stored.message.withUnsafeBytes { try PurgePlan.read($0) }.put?.stamp
            }
        }
    }

    static func read(_ message: UnsafeRawBufferPointer) throws -> RecordState {
        do {
            return try RecordState(protobuf: Array(message))
        } catch {
            throw StoreError.damaged("a record is no Record message")
        }
    }

    /// The facts from a scan of the records, before any rule is applied.
    private struct Age {
        let cutoff: UInt64
        let passed: UInt64
        var hasOldDelete = false
        /// The least time of a newest change that is not old yet.
        var nextMilliseconds: UInt64?

        mutating func look(at state: RecordState, _ sequence: UInt64) {
            let newest = max(state.put?.stamp.milliseconds ?? 0, state.delete?.milliseconds ?? 0)
            guard newest < cutoff else {
                nextMilliseconds = min(nextMilliseconds ?? newest, newest)
                return
            }
            if sequence <= passed, state.stamps.own != .put, state.delete != nil { hasOldDelete = true }
        }
    }
}
