/// The progress of a replica's pushes, and the reply to the last one.
package struct StoredProgress: Hashable, Sendable {
    /// The relation of the next push's first transaction to earlier ones.
    package enum Continuation: Int64, Hashable, Sendable {
        /// A transaction of its own.
        case none = 0
        /// The rest of a transaction whose parts are staged.
        case staged = 1
        /// The rest of a transaction that was refused.
        case refused = 2
    }

    /// The number of the last push; 0 before the first.
    package var number: UInt64 = 0
    /// The SHA-256 of the last push's body.
    package var hash: [UInt8] = []
    /// The reply to the last push, as Protocol Buffers.
    package var reply: [UInt8] = []
    /// The time of the greatest stamp stored of this replica.
    package var stamp: UInt64 = 0
    package var continuation = Continuation.none

    package init() {}
}

/// The part of a transaction in one of several pushes.
package struct StagedPart: Hashable, Sendable {
    /// The index of the part, from 0, in the order of arrival.
    package var ordinal: Int
    package var changes: Int
    /// The bytes of its puts.
    package var bytes: Int
    /// The part as an encoded ``PushRequest``.
    package var body: [UInt8]

    package init(ordinal: Int, changes: Int, bytes: Int, body: [UInt8]) {
        self.ordinal = ordinal
        self.changes = changes
        self.bytes = bytes
        self.body = body
    }
}
