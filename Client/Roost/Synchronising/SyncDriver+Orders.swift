package import RoostModel
package import RoostProtocol
package import Session

extension SyncDriver {
    /// A request to be sent. A later order of the same lane replaces it, and the answer to the earlier one is ignored.
    package struct Order: Hashable, Sendable {
        /// The number that identifies the order.
        package let number: Int
        package let lane: SyncLane
        package let request: Request
        /// The device token to send it with: a secret. It changes with the identity of the replica.
        package let token: String
    }

    package enum Request: Hashable, Sendable {
        /// A new identity for the replica. The nonce lets the server recognise a repetition.
        case renew(reason: String, nonce: String)
        /// The bytes of a sealed push.
        case push([UInt8])
        /// The connection for a push that is still being sealed. It has no answer: the next order of the lane, if it says so, completes
        /// the request, and otherwise cancels it.
        case connect(since: [UInt8]?)
        /// The bytes of a sealed push, whose reply brings the page after the checkpoint.
        case pushAndPull([UInt8], since: [UInt8]?, isPreconnected: Bool = false)
        case pull(since: [UInt8]?, waitSeconds: Int)
        /// The page after one that is not applied yet.
        case pullAhead(since: [UInt8])
        case schema
        /// The stored reply to a push that was interrupted, by the number and the SHA-256 of its body. Another push may have had the
        /// number before the file lost its last commits.
        case pushReply(number: UInt64, hash: [UInt8])
        /// Records that the server has lost, to be stored again.
        case recover([RecordState])
        /// The first of some tokens, given by their SHA-256, that the server knows. The order has no token.
        case findToken([[UInt8]])
    }

    package enum Answer: Hashable, Sendable {
        case renewed(Registration)
        case push(PushReply)
        /// The server has not stored the push in question.
        case pushIsNotStored
        /// The server does not say whether it has stored a push.
        case pushIsUnknown
        case pull(PullReply)
        /// The text of the schema file.
        case schema(String)
        case recovered(RecoverReply)
        /// The index of the token that the server knows; `nil` where it knows none.
        case foundToken(Int?)
    }
}
