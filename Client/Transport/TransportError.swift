/// Why a request got no response.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The request was not sent: its path or a header could become another request.
        case invalidRequest
        /// No connection: no such host, refused, no route.
        case unreachable
        /// The time of the request, or of connecting, was over.
        case timedOut
        /// The connection ended before the response did. The server may have done what was asked.
        case connectionLost
        /// No TLS session: other side speaks no TLS, or none from 1.2 on.
        case handshakeFailed
        /// The server's certificate is not trusted, or not for this host.
        case tlsUntrusted
        /// The body, or the headers, are over their limit.
        case responseTooLarge
        /// What came is no HTTP response, or not in the encoding it claims.
        case malformedResponse
        /// The task was cancelled. The server may have done what was asked.
        case cancelled
        /// The transport was shut down. The server may have done what was asked.
        case shutDown
        /// This machine is out of memory, files or threads, or its libcurl lacks a feature.
        case exhausted
    }

    /// What libcurl said.
    package struct Underlying: Hashable, Sendable {
        /// A `CURLcode`.
        package let code: Int
        package let text: String
    }

    package let cause: Cause
    /// Why, without user values or tokens.
    package let reason: String
    /// What to do next.
    package let cure: String
    package let underlying: Underlying?
    /// Whether some of the request's body was handed to the connection: the server may have all of it.
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
