package import RoostModel

/// The additions of a push to the end of a scope's log, for ``ScopeTails``.
package struct LogAddition: Hashable, Sendable {
    package struct Row: Hashable, Sendable {
        package var key: RecordKey
        package var record: StoredRecord

        package init(key: RecordKey, record: StoredRecord) {
            self.key = key
            self.record = record
        }
    }

    /// The bytes of records beyond which ``rows`` are not collected.
    package static let bytesMax = 64 * 1024

    /// The scope as the push left it.
    package private(set) var scope: StoredScope
    /// The last sequence before the push. ``chainAtStart`` is its chain hash.
    package let start: UInt64
    package let chainAtStart: UInt64
    /// The chain at each sequence of the push, in order.
    package private(set) var chain: [UInt64] = []
    /// The written records in the order of sequences; `nil` if they are too many to keep.
    package private(set) var rows: [Row]? = []
    private var bytes = 0

    /// Creates an empty addition.
    ///
    /// - Parameter scope: The scope before the push.
    package init(to scope: StoredScope) {
        self.scope = scope
        start = scope.head.sequence
        chainAtStart = scope.head.shortChain
    }

    /// Adds a transaction.
    ///
    /// - Parameters:
    ///   - written: The written rows; `nil` if they are too many.
    ///   - head: The scope's head after the transaction.
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
