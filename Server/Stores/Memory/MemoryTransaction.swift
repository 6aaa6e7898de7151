internal import RoostModel
internal import RoostService

/// A transaction on a copy of the state.
final class MemoryTransaction: StoreTransaction {
    private(set) var state: MemoryState

    init(_ state: MemoryState) {
        self.state = state
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        let before = state
        do {
            return try body()
        } catch {
            state = before
            throw error
        }
    }

    // MARK: Reading

    func setting(_ name: String) -> [UInt8]? { state.settings[name] }
    func scopes() -> [ScopeKey] { state.scopes.keys.sorted { $0.rawValue < $1.rawValue } }
    func scope(_ key: ScopeKey) -> StoredScope? { state.scopes[key]?.scope }
    func schema(of scope: ScopeKey) -> String? { state.scopes[scope]?.schema }

    func replica(_ id: ReplicaID, in scope: ScopeKey) -> StoredReplica? {
        state.scopes[scope]?.replicas.first { $0.id == id }
    }

    func replicas(of scope: ScopeKey) -> [StoredReplica] { state.scopes[scope]?.replicas ?? [] }

    func progress(of replica: ReplicaID, in scope: ScopeKey) -> StoredProgress {
        state.scopes[scope]?.progress[replica] ?? StoredProgress()
    }

    func stagedParts(of replica: ReplicaID, in scope: ScopeKey) -> [StagedPart] {
        state.scopes[scope]?.staged[replica] ?? []
    }

    func stagedBytes(in scope: ScopeKey) -> Int {
        (state.scopes[scope]?.staged.values ?? [:].values).joined().reduce(0) { $0 + $1.body.count }
    }

    func token(_ hash: TokenHash) -> StoredToken? { state.tokens[hash] }
    func invite(_ hash: TokenHash) -> StoredInvite? { state.invites[hash] }

    func invites(of scope: ScopeKey) -> [StoredInvite] {
        state.invites.values.filter { $0.scope == scope }.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    }

    func answer(_ key: [UInt8]) -> StoredAnswer? { state.answers[key] }
    func record(_ key: RecordKey, in scope: ScopeKey) -> StoredRecord? { state.scopes[scope]?.records[key] }

    func chain(at sequence: UInt64, in scope: ScopeKey) -> UInt64? {
        guard let chains = state.scopes[scope]?.chains, sequence > 0, sequence <= UInt64(chains.count) else {
            return nil
        }
        return chains[Int(sequence) - 1]
    }

    func forEachRecord(
        in scope: ScopeKey, after sequence: UInt64,
        _ visit: (UInt64, ReplicaID, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let newer = (state.scopes[scope]?.records ?? [:]).filter { $0.value.sequence > sequence }
        for (_, record) in newer.sorted(by: { ($0.value.sequence, $0.key) < ($1.value.sequence, $1.key) }) {
            let goesOn = try record.message.withUnsafeBytes { try visit(record.sequence, record.author, $0) }
            guard goesOn else { return }
        }
    }

    func purgedSequence(of key: RecordKey, in scope: ScopeKey) -> UInt64? { state.scopes[scope]?.purged[key] }

    func forEachPurged(
        in scope: ScopeKey, after sequence: UInt64, _ visit: (UInt64, RecordKey) throws -> Bool
    ) throws {
        let newer = (state.scopes[scope]?.purged ?? [:]).filter { $0.value > sequence }
        for (key, sequence) in newer.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            guard try visit(sequence, key) else { return }
        }
    }

    // MARK: Writing

    func set(_ name: String, to value: [UInt8]) { state.settings[name] = value }

    func insert(_ scope: StoredScope, schema: String) -> ScopeKey {
        let key = ScopeKey(Int64(state.scopes.count + 1))
        var scope = scope
        scope.key = key
        state.scopes[key] = .init(scope: scope, schema: schema)
        return key
    }

    func update(_ head: ScopeHead, of scope: ScopeKey) { state.scopes[scope]?.scope.head = head }

    func update(epoch: UInt64, _ past: ScopePast, of scope: ScopeKey) {
        state.scopes[scope]?.scope.epoch = epoch
        state.scopes[scope]?.scope.past = past
    }

    func publish(_ schema: String, version: Int, in scope: ScopeKey) {
        state.scopes[scope]?.schema = schema
        state.scopes[scope]?.scope.schemaVersion = version
    }

    func insert(_ replica: StoredReplica) { state.scopes[replica.scope]?.replicas.append(replica) }

    func update(_ replica: StoredReplica) {
        guard let place = state.scopes[replica.scope]?.replicas.firstIndex(where: { $0.id == replica.id }) else {
            return
        }
        state.scopes[replica.scope]?.replicas[place] = replica
    }

    func update(_ progress: StoredProgress, of replica: ReplicaID, in scope: ScopeKey) {
        state.scopes[scope]?.progress[replica] = progress
    }

    func stage(_ part: StagedPart, of replica: ReplicaID, in scope: ScopeKey) {
        state.scopes[scope]?.staged[replica, default: []].append(part)
    }

    func removeStagedParts(of replica: ReplicaID, in scope: ScopeKey) { state.scopes[scope]?.staged[replica] = nil }
    func put(_ token: StoredToken) { state.tokens[token.hash] = token }

    func removeTokens(of replica: ReplicaID, in scope: ScopeKey, where wanted: StoredToken.State) {
        state.tokens = state.tokens.filter { _, token in
            token.replica != replica || token.scope != scope || token.state != wanted
        }
    }

    func retireTokens(of replica: ReplicaID, in scope: ScopeKey) {
        for (hash, token) in state.tokens where token.replica == replica && token.scope == scope {
            if token.state == .current || token.state == .retiring { state.tokens[hash]?.state = .dead }
        }
    }

    func removeInvite(_ hash: TokenHash) { state.invites[hash] = nil }
    func put(_ invite: StoredInvite) { state.invites[invite.hash] = invite }
    func put(_ answer: StoredAnswer) { state.answers[answer.key] = answer }
    func removeAnswers(before time: UInt64) { state.answers = state.answers.filter { $0.value.created >= time } }

    func put(_ record: StoredRecord, _ key: RecordKey, in scope: ScopeKey) {
        state.scopes[scope]?.records[key] = record
    }

    func remove(_ key: RecordKey, in scope: ScopeKey) { state.scopes[scope]?.records[key] = nil }

    func putPurged(_ key: RecordKey, at sequence: UInt64, in scope: ScopeKey) {
        state.scopes[scope]?.purged[key] = sequence
    }

    /// Returns `false`: memory is freed at once.
    func giveBackSpace() -> Bool { false }

    func removePurged(upTo sequence: UInt64, in scope: ScopeKey) {
        let kept = (state.scopes[scope]?.purged ?? [:]).filter { $0.value > sequence }
        state.scopes[scope]?.purged = kept
    }

    func append(chain: UInt64, at sequence: UInt64, in scope: ScopeKey) { state.scopes[scope]?.chains.append(chain) }
}
