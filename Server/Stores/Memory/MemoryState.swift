internal import RoostModel
internal import RoostService

/// The whole content of a memory store as one value: a copy is a snapshot, and assigning an earlier copy is a rollback.
struct MemoryState {
    /// A scope with all data that belongs to it.
    struct Scope {
        var scope: StoredScope
        var schema: String
        var replicas: [StoredReplica] = []
        var progress: [ReplicaID: StoredProgress] = [:]
        var staged: [ReplicaID: [StagedPart]] = [:]
        var records: [RecordKey: StoredRecord] = [:]
        /// The sequences at which records were purged.
        var purged: [RecordKey: UInt64] = [:]
        /// The chains of the scope. Index n contains the chain of sequence n + 1.
        var chains: [UInt64] = []
    }

    var settings: [String: [UInt8]] = [:]
    var scopes: [ScopeKey: Scope] = [:]
    var tokens: [TokenHash: StoredToken] = [:]
    var invites: [TokenHash: StoredInvite] = [:]
    var answers: [[UInt8]: StoredAnswer] = [:]
}
