package import RoostModel

/// A store's state while it is being changed; what was written is seen by the reads that follow.
package protocol StoreTransaction: StoreSnapshot {
    /// Runs `body`; if it throws, takes back what it wrote and nothing else.
    ///
    /// - Throws: What `body` throws, and ``StoreError/cannotUndo`` where it threw and the transaction must not commit.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result

    func set(_ name: String, to value: [UInt8]) throws

    /// Adds a scope under a new key; the one in `scope` is not looked at.
    func insert(_ scope: StoredScope, schema: String) throws -> ScopeKey
    /// Replaces where a scope's history stands.
    func update(_ head: ScopeHead, of scope: ScopeKey) throws
    /// Replaces a scope's epoch and what it remembers of its past.
    func update(epoch: UInt64, _ past: ScopePast, of scope: ScopeKey) throws
    /// Makes a schema file the one in force.
    func publish(_ schema: String, version: Int, in scope: ScopeKey) throws

    func insert(_ replica: StoredReplica) throws
    /// Replaces the name, role, last use, revocation, cursor and last pull of a replica; its device and inviter stay.
    func update(_ replica: StoredReplica) throws
    func update(_ progress: StoredProgress, of replica: ReplicaID, in scope: ScopeKey) throws
    func stage(_ part: StagedPart, of replica: ReplicaID, in scope: ScopeKey) throws
    func removeStagedParts(of replica: ReplicaID, in scope: ScopeKey) throws

    /// Adds a token, or replaces the one with the same hash.
    func put(_ token: StoredToken) throws
    func removeTokens(of replica: ReplicaID, in scope: ScopeKey, where state: StoredToken.State) throws
    /// Lets every current and retiring token of a replica die.
    func retireTokens(of replica: ReplicaID, in scope: ScopeKey) throws
    func put(_ invite: StoredInvite) throws
    func removeInvite(_ hash: TokenHash) throws
    func put(_ answer: StoredAnswer) throws
    func removeAnswers(before time: UInt64) throws

    /// Adds a record, or replaces the one with the same key.
    func put(_ record: StoredRecord, _ key: RecordKey, in scope: ScopeKey) throws
    func remove(_ key: RecordKey, in scope: ScopeKey) throws
    /// Keeps the name of a record that was purged; a name that is kept already gets the new sequence.
    func putPurged(_ key: RecordKey, at sequence: UInt64, in scope: ScopeKey) throws
    /// Forgets the names of records that were purged up to a sequence.
    func removePurged(upTo sequence: UInt64, in scope: ScopeKey) throws
    func append(chain: UInt64, at sequence: UInt64, in scope: ScopeKey) throws

    /// Gives a part of the space that nothing uses any more back to the disk, so little of it that other writes need not wait long.
    ///
    /// - Returns: Whether there is more to give back.
    func giveBackSpace() throws -> Bool
}
