internal import Replica
internal import RoostProtocol
internal import Transport

/// The failure of connecting or synchronising a replica.
public struct RoostError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The address, link or argument is not usable.
        public static let invalidArgument = Code(description: "invalidArgument")
        /// The server is unreachable.
        public static let unavailable = Code(description: "unavailable")
        /// The server's certificate is not trusted.
        public static let untrusted = Code(description: "untrusted")
        /// The server refuses the token, the role or the invite.
        public static let notPermitted = Code(description: "notPermitted")
        /// The answer is not that of a Roost server of this version.
        public static let incompatible = Code(description: "incompatible")
        /// The replica is not connected to a server.
        public static let notConnected = Code(description: "notConnected")
        /// Another program keeps this replica synchronised.
        public static let busy = Code(description: "busy")
        /// Local changes stay here until the user acts.
        public static let blocked = Code(description: "blocked")
        /// The session has ended.
        public static let sessionEnded = Code(description: "sessionEnded")
        /// The replica file reports an error.
        public static let replica = Code(description: "replica")
    }

    /// The kind of failure; programs branch on it, never on ``message``.
    public var code: Code
    /// The failed operation, its object, the reason, and the next step.
    public var message: String
    /// The server's own code; `nil` where it gave none.
    public var serverCode: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The failed operation, its object, the reason, and the next step.
    ///   - serverCode: The server's own code (protocol.md §9), where it gave one.
    public init(_ code: Code, _ message: String, serverCode: String? = nil) {
        self.code = code
        self.message = message
        self.serverCode = serverCode
    }

    public var description: String { message }

    init(_ error: ProtocolError, _ action: String) {
        let code: Code =
            switch error.code {
            case .unauthorized, .revoked, .forbidden, .inviteUsed, .notFound: .notPermitted
            case .tooManyRequests, .storageUnavailable, .stopping, .internalError: .unavailable
            default: .invalidArgument
            }
        self.init(code, "Cannot \(action): \(Self.reason(error.message))", serverCode: error.code.rawValue)
    }

    /// Removes "Cannot answer:" from a server's text, which the message would repeat.
    private static func reason(_ text: String) -> String {
        let line = line(text)
        guard line.utf8.starts(with: "Cannot ".utf8), let end = line.utf8.firstRange(of: ": ".utf8) else { return line }
        return String(line[end.upperBound...])
    }

    /// Puts a server's text on one line, shortened to the length of a message.
    private static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(2000) {
            line.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return String(line)
    }

    init(_ error: TransportError, _ action: String) {
        let code: Code =
            switch error.cause {
            case .tlsUntrusted: .untrusted
            case .invalidRequest: .invalidArgument
            case .malformedResponse, .responseTooLarge: .incompatible
            default: .unavailable
            }
        self.init(code, "Cannot \(action): \(error.reason). \(error.cure).")
    }
}
