package import RoostModel

/// A scope, without its schema file and its records.
package struct StoredScope: Hashable, Sendable {
    package var key: ScopeKey
    package var id: ScopeID
    package var name: String
    /// A random number that identifies this incarnation of the scope's history. A restore starts a new one.
    package var epoch: UInt64
    package var schemaVersion: Int
    package var head: ScopeHead
    package var past = ScopePast()

    package init(
        key: ScopeKey = ScopeKey(0), id: ScopeID, name: String, epoch: UInt64, schemaVersion: Int,
        head: ScopeHead = ScopeHead()
    ) {
        self.key = key
        self.id = id
        self.name = name
        self.epoch = epoch
        self.schemaVersion = schemaVersion
        self.head = head
    }
}

/// The head of a scope's history.
package struct ScopeHead: Hashable, Sendable {
    /// The last used sequence. Sequences are dense, from 1.
    package var sequence: UInt64 = 0
    /// h(n) = SHA-256(h(n−1) ‖ n ‖ digest after n), 32 bytes; zeros at the start.
    package var chain = [UInt8](repeating: 0, count: 32)
    package var digest = ScopeDigest()
    package var records = 0
    /// The bytes of all records as stored.
    package var bytes = 0

    package init() {}

    /// The part of ``chain`` that a checkpoint contains.
    package var shortChain: UInt64 { chain.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// Advances by one sequence, whose changes are already included in ``digest``.
    package mutating func advance() {
        sequence += 1
        var input = chain
        input.appendBigEndian(sequence)
        input.append(contentsOf: digest.bytes)
        chain = SHA256Digest.of(input)
    }
}
