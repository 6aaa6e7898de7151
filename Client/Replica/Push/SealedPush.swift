internal import RoostModel
internal import RoostProtocol

/// The outcome of a search for something to push.
package enum Sealed: Hashable, Sendable {
    /// No local change is pending.
    case nothingWaits
    /// Nothing was sealed, because the server holds or has refused parts of a transaction whose rest is not sealed any more. The
    /// rest was restamped, refused or divided. The server would take the next push for the rest, and show a transaction in part.
    case leftParts
    case next(SealedPush)

    /// The push to send; `nil` where there is none.
    package var push: SealedPush? { if case .next(let push) = self { push } else { nil } }
}

/// A sealed push that has not been sent, or whose reply has not arrived.
package struct SealedPush: Hashable, Sendable {
    package let number: UInt64
    /// The encoded message. All attempts send equal bytes.
    package let body: [UInt8]
    /// Whether no other sealed push follows.
    package let isLast: Bool
    /// The replica's checkpoint; `nil` where it is not known.
    package let checkpoint: [UInt8]?
    /// The number of changes of each transaction; `nil` where an earlier call has sealed the push, so that it has to be decoded
    /// from the body.
    package let changeCounts: [Int]?

    /// Returns the number of changes of each transaction.
    package func transactionSizes() throws -> [Int] {
        try changeCounts ?? PushRequest(protobuf: body).transactions.map(\.changes.count)
    }

    package init(
        number: UInt64, body: [UInt8], isLast: Bool, checkpoint: [UInt8]? = nil, changeCounts: [Int]? = nil
    ) {
        self.number = number
        self.body = body
        self.isLast = isLast
        self.checkpoint = checkpoint
        self.changeCounts = changeCounts
    }
}

/// The reason of a search for something to push.
package enum SealingReason: Sendable {
    /// A program has just written. A change is most likely pending, and one transaction can find it and seal it.
    case localChange
    /// A change may be pending. Mostly none is, as after a push, and then the search writes nothing.
    case look
}
