package import RoostModel

/// What a push has added to the end of a scope's log, for ``ScopeTails``.
package struct LogAddition: Hashable, Sendable {
    package struct Row: Hashable, Sendable {
        package var key: RecordKey
        package var record: StoredRecord

        package init(key: RecordKey, record: StoredRecord) {
            self.key = key
            self.record = record
        }
    }

    /// Bytes of records beyond which ``rows`` are not collected.
    package static let bytesMax = 64 * 1024

    /// The scope as the push left it.
    package private(set) var scope: StoredScope
    /// The last sequence before the push, and its place on the chain.
    package let start: UInt64
    package let chainAtStart: UInt64
    /// The chain at each sequence that the push was given, in order.
    package private(set) var chain: [UInt64] = []
    /// The records written, in the order of sequences; `nil` where they are too many to keep.
    package private(set) var rows: [Row]? = []
    private var bytes = 0

    /// - Parameter scope: As it is before the push.
    package init(to scope: StoredScope) {
        self.scope = scope
        start = scope.head.sequence
        chainAtStart = scope.head.shortChain
    }

    /// Adds a transaction.
    ///
    /// - Parameters:
    ///   - written: What it wrote; `nil` for too much.
    ///   - head: Where the scope stands after it.
    package mutating func add(_ written: [Row]?, _ head: ScopeHead) {
        scope.head = head
        chain.append(head.shortChain)
        guard let written else {
            rows = nil
            return
        }
        bytes += written.reduce(0) { $0 + $1.record.message.count }
        guard bytes <= Self.bytesMax else {
            rows = nil
            return
        }
        rows?.append(contentsOf: written)
    }
}
