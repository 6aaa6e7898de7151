package import RoostModel

/// What became of a push.
package struct PushReply: Hashable, Sendable {
    /// What became of one transaction.
    package enum Result: Hashable, Sendable {
        /// Stored, under this sequence; `outcomes` has an entry for each change that met a concurrent one.
        case accepted(sequence: UInt64, outcomes: [Outcome])
        /// Kept until the rest of the transaction arrives.
        case staged
        /// Nothing of it was stored.
        case refused(Refusal)
    }

    /// How a change fared against one its author had not seen.
    package struct Outcome: Hashable, Sendable {
        package enum Kind: UInt64, Hashable, Sendable {
            /// A greater stamp stands; the change is not current.
            case beaten = 1
            /// The change won over a put that it was not edited from.
            case replaced = 2
        }

        /// The change's place in its transaction as received in this push, from 0.
        package var index: Int
        package var kind: Kind
        /// The stamp of the other change.
        package var other: HybridTimestamp

        package init(index: Int, kind: Kind, other: HybridTimestamp) {
            self.index = index
            self.kind = kind
            self.other = other
        }
    }

    package struct Refusal: Hashable, Sendable {
        package var code: ErrorCode
        package var message: String
        /// The place of the change at fault in its transaction, from 0, where one is.
        package var index: Int?

        package init(code: ErrorCode, message: String, index: Int? = nil) {
            self.code = code
            self.message = message
            self.index = index
        }
    }

    package var number: UInt64
    /// One for each transaction of the push, in its order.
    package var results: [Result]
    /// The server's slots of every record that a refused transaction named, so that the replica can go back to them.
    package var current: [RecordState]
    /// Milliseconds since 1970 by the server's clock.
    package var serverTime: UInt64
    /// What a pull right after the push would bring, where that was asked for and the server could give it.
    package var page: PullReply?

    package init(
        number: UInt64, results: [Result], current: [RecordState] = [], serverTime: UInt64, page: PullReply? = nil
    ) {
        self.number = number
        self.results = results
        self.current = current
        self.serverTime = serverTime
        self.page = page
    }
}
