package import RoostModel

/// A store's state while it is being changed. Reads see the earlier writes of the transaction.
package protocol StoreTransaction: StoreSnapshot {
    /// Runs `body`. If it throws, its writes are rolled back, and no others.
    ///
    /// - Throws: Errors of `body`, and ``StoreError/cannotUndo`` if it threw and the transaction must not commit.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result

    func set(_ name: String, to value: [UInt8]) throws

    /// Adds a scope under a new key. The key in `scope` is ignored.
    func insert(_ scope: StoredScope, schema: String) throws -> ScopeKey
    /// Replaces the head of a scope's history.
    func update(_ head: ScopeHead, of scope: ScopeKey) throws
    /// Replaces a scope's epoch and the facts about its past.
    func update(epoch: UInt64, _ past: ScopePast, of scope: ScopeKey) throws
    /// Puts a schema file in force.
    func publish(_ schema: String, version: Int, in scope: ScopeKey) throws

    func insert(_ replica: StoredReplica) throws
    /// Replaces the name, role, last use, revocation, cursor and last pull of a replica. Its device and inviter stay.
    func update(_ replica: StoredReplica) throws
    func update(_ progress: StoredProgress, of replica: ReplicaID, in scope: ScopeKey) throws
    func stage(_ part: StagedPart, of replica: ReplicaID, in scope: ScopeKey) throws
    func removeStagedParts(of replica: ReplicaID, in scope: ScopeKey) throws

    /// Adds a token, or replaces the one with an equal hash.
    func put(_ token: StoredToken) throws
    func removeTokens(of replica: ReplicaID, in scope: ScopeKey, where state: StoredToken.State) throws
    /// Marks every current and retiring token of a replica as dead.
    func retireTokens(of replica: ReplicaID, in scope: ScopeKey) throws
    func put(_ invite: StoredInvite) throws
    func removeInvite(_ hash: TokenHash) throws
    func put(_ answer: StoredAnswer) throws
    func removeAnswers(before time: UInt64) throws

    /// Adds a record, or replaces the one with an equal key.
    func put(_ record: StoredRecord, _ key: RecordKey, in scope: ScopeKey) throws
    func remove(_ key: RecordKey, in scope: ScopeKey) throws
    /// Stores the identifier of a purged record. An identifier that is already stored gets the new sequence.
    func putPurged(_ key: RecordKey, at sequence: UInt64, in scope: ScopeKey) throws
    /// Deletes the identifiers of records that were purged up to a sequence.
    func removePurged(upTo sequence: UInt64, in scope: ScopeKey) throws
    func append(chain: UInt64, at sequence: UInt64, in scope: ScopeKey) throws

    /// Returns a part of the unused space to the disk, so little that other writes do not wait long.
    ///
    /// - Returns: Whether there is more unused space.
    func giveBackSpace() throws -> Bool
}
