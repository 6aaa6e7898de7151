internal import RoostModel
internal import RoostProtocol

/// What came of looking for something to push.
package enum Sealed: Hashable, Sendable {
    /// No local change waits.
    case nothingWaits
    /// Nothing was sealed: the server holds parts of a transaction, or has refused them, whose rest is not sealed any more, because it was
    /// stamped anew, refused or made smaller. The server would take whatever comes next for the rest, and show a transaction in part.
    case leftParts
    case next(NextPush)

    /// The push to send; `nil` where there is none.
    package var push: NextPush? { if case .next(let push) = self { push } else { nil } }
}

/// A sealed push that has not been sent, or not been answered.
package struct NextPush: Hashable, Sendable {
    package let number: UInt64
    /// The bytes that are sent, the same each time.
    package let body: [UInt8]
    /// Whether no other push is sealed behind it.
    package let isLast: Bool
    /// The replica's checkpoint; `nil` where it is not known.
    package let checkpoint: [UInt8]?
    /// How many changes each of its transactions has, where the push was sealed by this very call; `nil` where that has to be read off
    /// its bytes.
    package let changeCounts: [Int]?

    /// How many changes each transaction of the push has.
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

/// Why something to push is looked for.
package enum SealingReason: Sendable {
    /// A program has just written: something waits, most likely, and one transaction is enough to find it and to seal it.
    case localChange
    /// Something may wait. Mostly nothing does, as after a push, and then nothing is written.
    case look
}
