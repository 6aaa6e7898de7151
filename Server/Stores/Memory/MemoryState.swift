internal import RoostModel
internal import RoostService

/// Everything a memory store holds, as one value: a copy is a snapshot, putting one back is a rollback.
struct MemoryState {
    /// A scope with all that hangs off it.
    struct Scope {
        var scope: StoredScope
        var schema: String
        var replicas: [StoredReplica] = []
        var progress: [ReplicaID: StoredProgress] = [:]
        var staged: [ReplicaID: [StagedPart]] = [:]
        var records: [RecordKey: StoredRecord] = [:]
        /// The sequence at which a record was purged.
        var purged: [RecordKey: UInt64] = [:]
        /// Index n holds the chain of sequence n + 1.
        var chains: [UInt64] = []
    }

    var settings: [String: [UInt8]] = [:]
    var scopes: [ScopeKey: Scope] = [:]
    var tokens: [TokenHash: StoredToken] = [:]
    var invites: [TokenHash: StoredInvite] = [:]
    var answers: [[UInt8]: StoredAnswer] = [:]
}
