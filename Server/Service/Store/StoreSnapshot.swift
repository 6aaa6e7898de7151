package import RoostModel

/// One consistent state of a store, for reading.
package protocol StoreSnapshot {
    /// Returns a value stored next to the scopes, such as the server's secret.
    func setting(_ name: String) throws -> [UInt8]?

    /// Lists all scopes, oldest first.
    func scopes() throws -> [ScopeKey]
    func scope(_ key: ScopeKey) throws -> StoredScope?
    /// Returns the text of a scope's schema file in the version in force.
    func schema(of scope: ScopeKey) throws -> String?

    func replica(_ id: ReplicaID, in scope: ScopeKey) throws -> StoredReplica?
    /// Lists all replicas of a scope, including revoked ones, oldest first.
    func replicas(of scope: ScopeKey) throws -> [StoredReplica]
    func progress(of replica: ReplicaID, in scope: ScopeKey) throws -> StoredProgress
    /// Returns the staged parts of an incomplete transaction, in order.
    func stagedParts(of replica: ReplicaID, in scope: ScopeKey) throws -> [StagedPart]

    /// Returns the bytes of all staged parts of incomplete transactions in a scope.
    func stagedBytes(in scope: ScopeKey) throws -> Int
    func token(_ hash: TokenHash) throws -> StoredToken?
    func invite(_ hash: TokenHash) throws -> StoredInvite?
    /// Lists all invites of a scope, including used and revoked ones, oldest first.
    func invites(of scope: ScopeKey) throws -> [StoredInvite]
    func answer(_ key: [UInt8]) throws -> StoredAnswer?

    func record(_ key: RecordKey, in scope: ScopeKey) throws -> StoredRecord?
    /// Returns the first 8 bytes of the chain hash at a sequence; `nil` for an unused sequence.
    func chain(at sequence: UInt64, in scope: ScopeKey) throws -> UInt64?
    /// Visits the records whose sequence is greater than `sequence`, in the order of sequences.
    ///
    /// - Parameter visit: Receives the sequence, the author (0 for none) and the encoded `Record` message, which is valid
    ///   only during the call. Returns whether to continue.
    func forEachRecord(
        in scope: ScopeKey, after sequence: UInt64,
        _ visit: (_ sequence: UInt64, _ author: ReplicaID, _ message: UnsafeRawBufferPointer) throws -> Bool
    ) throws
    /// Returns the sequence at which a record was purged, if its identifier is still stored.
    func purgedSequence(of key: RecordKey, in scope: ScopeKey) throws -> UInt64?
    /// Visits the identifiers of records that were purged after `sequence`, in the order of sequences and then of keys.
    ///
    /// - Parameter visit: Returns whether to continue.
    func forEachPurged(
        in scope: ScopeKey, after sequence: UInt64, _ visit: (_ sequence: UInt64, _ key: RecordKey) throws -> Bool
    ) throws
}
