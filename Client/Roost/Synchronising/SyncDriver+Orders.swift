package import RoostModel
package import RoostProtocol
package import Session

extension SyncDriver {
    /// A request to be sent. A later one of the same lane takes its place: the answer to the earlier is of no use then.
    package struct Order: Hashable, Sendable {
        /// Tells orders apart.
        package let number: Int
        package let lane: SyncLane
        package let request: Request
        /// The device token to send it with: a secret, and another one once the replica was given a new identity.
        package let token: String
    }

    package enum Request: Hashable, Sendable {
        /// A new identity for the replica; the nonce lets the server know a repetition.
        case renew(reason: String, nonce: String)
        /// The bytes of a sealed push.
        case push([UInt8])
        /// The same, and the page after the checkpoint with the reply.
        case pushAndPull([UInt8], since: [UInt8]?)
        case pull(since: [UInt8]?, waitSeconds: Int)
        /// The page after one that is not taken in yet (``ReadAhead``).
        case pullAhead(since: [UInt8])
        case schema
        /// The reply that the server has stored to a push that was interrupted, by its number and the SHA-256 of its body: another one may
        /// have had the number before the file lost its last commits.
        case pushReply(number: UInt64, hash: [UInt8])
        /// Records that the server has lost.
        case recover([RecordState])
        /// The first of some tokens that the server knows, by their SHA-256. The order has no token.
        case findToken([[UInt8]])
    }

    package enum Answer: Hashable, Sendable {
        case renewed(Registration)
        case push(PushReply)
        /// The server has not stored the push that it was asked for.
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
