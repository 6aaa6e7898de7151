/// The reason why a request got no response.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The request was not sent: its path or a header could turn it into another request.
        case invalidRequest
        /// No connection: no such host, refused, no route.
        case unreachable
        /// The time limit of the request, or of connecting, was exceeded.
        case timedOut
        /// The connection ended before the response did. The server may have handled the request.
        case connectionLost
        /// No TLS session: the server does not use TLS, or only versions before 1.2.
        case handshakeFailed
        /// The server's certificate is not trusted, or not for this host.
        case tlsUntrusted
        /// The body, or the headers, exceed their limit.
        case responseTooLarge
        /// The answer is not an HTTP response, or not in the encoding that it claims.
        case malformedResponse
        /// The task was cancelled. The server may have handled the request.
        case cancelled
        /// The transport was shut down. The server may have handled the request.
        case shutDown
        /// This machine is out of memory, files or threads, or its libcurl lacks a feature.
        case exhausted
    }

    /// The error that libcurl reported.
    package struct Underlying: Hashable, Sendable {
        /// A `CURLcode`.
        package let code: Int
        package let text: String
    }

    package let cause: Cause
    /// The reason, without user values or tokens.
    package let reason: String
    /// The advice to the user.
    package let cure: String
    package let underlying: Underlying?
    /// Whether part of the request's body was passed to the connection: the server may have all of it.
    package var hasSentBody = false

    init(_ cause: Cause, _ reason: String, cure: String, underlying: Underlying? = nil) {
        self.cause = cause
        self.reason = reason
        self.cure = cure
        self.underlying = underlying
    }

    package var description: String {
        let detail = underlying.map { " (\($0.text), curl \($0.code))" } ?? ""
        return "Cannot complete the request: \(reason)\(detail). \(cure)."
    }

    static func invalidRequest(_ reason: String, cure: String) -> TransportError {
        TransportError(.invalidRequest, reason, cure: cure)
    }

    static let cancelled = TransportError(.cancelled, "it was cancelled", cure: "Send it again if it is still wanted")
    static let shutDown = TransportError(.shutDown, "the transport was shut down", cure: "Open a new one")
}
