package import RoostModel

/// One consistent state of a store, for reading.
package protocol StoreSnapshot {
    /// A value kept beside the scopes, such as the server's secret.
    func setting(_ name: String) throws -> [UInt8]?

    /// All scopes, oldest first.
    func scopes() throws -> [ScopeKey]
    func scope(_ key: ScopeKey) throws -> StoredScope?
    /// The text of a scope's schema file in the version in force.
    func schema(of scope: ScopeKey) throws -> String?

    func replica(_ id: ReplicaID, in scope: ScopeKey) throws -> StoredReplica?
    /// All replicas of a scope, revoked ones too, oldest first.
    func replicas(of scope: ScopeKey) throws -> [StoredReplica]
    func progress(of replica: ReplicaID, in scope: ScopeKey) throws -> StoredProgress
    /// The parts of a transaction whose rest has yet to come, in order.
    func stagedParts(of replica: ReplicaID, in scope: ScopeKey) throws -> [StagedPart]

    /// Bytes of all parts of transactions that wait for their rest in a scope.
    func stagedBytes(in scope: ScopeKey) throws -> Int
    func token(_ hash: TokenHash) throws -> StoredToken?
    func invite(_ hash: TokenHash) throws -> StoredInvite?
    /// All invites of a scope, used and revoked ones too, oldest first.
    func invites(of scope: ScopeKey) throws -> [StoredInvite]
    func answer(_ key: [UInt8]) throws -> StoredAnswer?

    func record(_ key: RecordKey, in scope: ScopeKey) throws -> StoredRecord?
    /// The first 8 bytes of the chain hash at a sequence; `nil` for one that was never given.
    func chain(at sequence: UInt64, in scope: ScopeKey) throws -> UInt64?
    /// Visits the records whose sequence is greater than `sequence`, in the order of sequences.
    ///
    /// - Parameter visit: Gets the sequence, the author (0 for none) and the encoded `Record` message, which is valid
    ///   during the call only; returns whether to go on.
    func forEachRecord(
        in scope: ScopeKey, after sequence: UInt64,
        _ visit: (_ sequence: UInt64, _ author: ReplicaID, _ message: UnsafeRawBufferPointer) throws -> Bool
    ) throws
    /// The sequence at which a record was purged, if its name is still kept.
    func purgedSequence(of key: RecordKey, in scope: ScopeKey) throws -> UInt64?
    /// Visits the names of records that were purged after `sequence`, in the order of sequences and then of keys.
    ///
    /// - Parameter visit: Returns whether to go on.
    func forEachPurged(
        in scope: ScopeKey, after sequence: UInt64, _ visit: (_ sequence: UInt64, _ key: RecordKey) throws -> Bool
    ) throws
}
