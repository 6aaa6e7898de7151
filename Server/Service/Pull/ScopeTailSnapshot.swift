package import RoostModel

/// The end of a scope's log as one replica reads it: a snapshot without the rest of the store.
///
/// It returns the store's values, or throws ``NotHere``. So one reader of pages serves both the tail and the store.
package struct ScopeTailSnapshot: StoreSnapshot {
    /// An error for data that only the store has.
    package struct NotHere: Error {}

    private let reader: StoredReplica
    private let content: ScopeTail.Content

    init(reader: StoredReplica, _ content: ScopeTail.Content) {
        self.reader = reader
        self.content = content
    }

    package func replica(_ id: ReplicaID, in scope: ScopeKey) throws -> StoredReplica? {
        guard id == reader.id, scope == reader.scope else { throw NotHere() }
        return reader
    }

    package func scope(_ key: ScopeKey) throws -> StoredScope? {
        guard key == content.scope.key else { throw NotHere() }
        return content.scope
    }

    package func chain(at sequence: UInt64, in scope: ScopeKey) throws -> UInt64? {
        guard scope == content.scope.key, sequence >= content.start else { throw NotHere() }
        let place = sequence - content.start
        return place < content.chain.count ? content.chain[Int(place)] : nil
    }

    package func forEachRecord(
        in scope: ScopeKey, after sequence: UInt64,
        _ visit: (_ sequence: UInt64, _ author: ReplicaID, _ message: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard scope == content.scope.key, sequence >= content.start else { throw NotHere() }
        for record in content.records[content.firstPlace(after: sequence)...] where !record.message.isEmpty {
            guard try record.message.withUnsafeBytes({ try visit(record.sequence, record.author, $0) }) else { return }
        }
    }

    // MARK: What is not here

    package func setting(_ name: String) throws -> [UInt8]? { throw NotHere() }
    package func scopes() throws -> [ScopeKey] { throw NotHere() }
    package func schema(of scope: ScopeKey) throws -> String? { throw NotHere() }
    package func stagedBytes(in scope: ScopeKey) throws -> Int { throw NotHere() }
    package func replicas(of scope: ScopeKey) throws -> [StoredReplica] { throw NotHere() }
    package func progress(of replica: ReplicaID, in scope: ScopeKey) throws -> StoredProgress { throw NotHere() }
    package func stagedParts(of replica: ReplicaID, in scope: ScopeKey) throws -> [StagedPart] { throw NotHere() }
    package func token(_ hash: TokenHash) throws -> StoredToken? { throw NotHere() }
    package func invite(_ hash: TokenHash) throws -> StoredInvite? { throw NotHere() }
    package func invites(of scope: ScopeKey) throws -> [StoredInvite] { throw NotHere() }
    package func answer(_ key: [UInt8]) throws -> StoredAnswer? { throw NotHere() }
    package func record(_ key: RecordKey, in scope: ScopeKey) throws -> StoredRecord? { throw NotHere() }
    package func purgedSequence(of key: RecordKey, in scope: ScopeKey) throws -> UInt64? { throw NotHere() }
    package func forEachPurged(
        in scope: ScopeKey, after sequence: UInt64, _ visit: (_ sequence: UInt64, _ key: RecordKey) throws -> Bool
    ) throws { throw NotHere() }
}
