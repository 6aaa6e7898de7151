/// Why the session waits before it tries again by itself.
package struct WaitReason: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case unreachable, timedOut, invalidReply, tooManyRequests, serverUnavailable, replicaUnavailable
        /// The server does not know this device: it may run without its data.
        case notRecognised
        /// The server, or what stands in its place, refuses until a person does something.
        case refused
        /// A session that runs once has taken as long as it may.
        case timeIsOver
    }

    package let kind: Kind
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Whether the server could not be reached at all.
    package var isOffline: Bool { kind == .unreachable || kind == .timedOut }

    package var description: String { message }
}
