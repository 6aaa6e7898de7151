package import Replica
package import RoostModel
package import RoostProtocol

extension Replica {
    /// Returns the sealed pushes that the server has not accepted, in order.
    package func sealedPushes() throws -> [PushRequest] {
        try select("SELECT body FROM roost_push WHERE staged = 0 ORDER BY number").map { row in
            guard case .data(let body) = row.first else { preconditionFailure("A sealed push has a body") }
            return try PushRequest(protobuf: body)
        }
    }

    /// Seals pending changes, and returns the changes that would be sent, in order.
    package func sealChanges(_ limits: PushLimits) throws -> [Change] {
        try sealPushes(limits: limits)
        return try sealedPushes().flatMap(\.changes)
    }
}

extension PushReply.Result {
    /// The push was stored, and no change met a concurrent one.
    package static let stored = Self.accepted(sequence: 1, outcomes: [])

    package static func refused(
        _ message: String, code: ErrorCode = .forbidden, at index: Int? = nil
    ) -> PushReply.Result {
        .refused(.init(code: code, message: message, index: index))
    }
}
