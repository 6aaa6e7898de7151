package import RoostModel

/// The server's reply to a push.
package struct PushReply: Hashable, Sendable {
    /// The result of one transaction.
    package enum Result: Hashable, Sendable {
        /// Stored under this sequence. `outcomes` has an entry for each change that met a concurrent change.
        case accepted(sequence: UInt64, outcomes: [Outcome])
        /// Kept until the rest of the transaction arrives.
        case staged
        /// Nothing of the transaction was stored.
        case refused(Refusal)
    }

    /// The outcome of a change against a change that its author had not seen.
    package struct Outcome: Hashable, Sendable {
        package enum Kind: UInt64, Hashable, Sendable {
            /// The other change has the greater stamp. This change is not current.
            case beaten = 1
            /// The change won over a put that it was not edited from.
            case replaced = 2
        }

        /// The index of the change in its transaction as received in this push, from 0.
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
        /// The index of the faulty change in its transaction, from 0; `nil` if no single change is at fault.
        package var index: Int?

        package init(code: ErrorCode, message: String, index: Int? = nil) {
            self.code = code
            self.message = message
            self.index = index
        }
    }

    package var number: UInt64
    /// The results, one for each transaction of the push, in its order.
    package var results: [Result]
    /// The server's slots of every record that a refused transaction contains, so that the replica can return to them.
    package var current: [RecordState]
    /// Milliseconds since 1970 by the server's clock.
    package var serverTime: UInt64
    /// The page that a pull right after the push would return. Present if the client asked for it and the server could give
    /// it.
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
