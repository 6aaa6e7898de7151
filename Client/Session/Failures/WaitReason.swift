/// The reason of a wait before the session retries.
package struct WaitReason: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case unreachable, timedOut, invalidReply, tooManyRequests, serverUnavailable, replicaUnavailable
        /// The server does not know this device. It may run without its data.
        case notRecognised
        /// The server, or a program in its place, refuses until the user acts.
        case refused
        /// A session that runs once has exceeded its time.
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
