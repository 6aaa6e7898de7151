/// One request to a server, relative to its address.
package struct HTTPRequest: Hashable, Sendable {
    package enum Method: String, Hashable, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// How the server is expected to answer.
    package enum Answer: Hashable, Sendable {
        /// At once: a connection that carries less than 1 KiB/s for 30 s is given up.
        case prompt
        /// When it has something to say: only ``HTTPRequest/timeout`` ends the wait.
        case held
    }

    package var method: Method
    /// Path and query, in ASCII, already percent-encoded, starting with `/`.
    package var path: String
    package var headers: HTTPHeaders
    package var body: [UInt8]
    /// From the call to the last byte of the response, the wait for a free connection included.
    package var timeout: Duration
    package var answer: Answer
    /// Bytes of the response's body after decompression; `nil` takes ``TransportConfiguration/responseBytesMax``.
    package var responseBytesMax: Int?

    package init(
        _ method: Method, _ path: String, headers: HTTPHeaders = [:], body: [UInt8] = [],
        timeout: Duration = .seconds(120), answer: Answer = .prompt, responseBytesMax: Int? = nil
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.answer = answer
        self.responseBytesMax = responseBytesMax
    }
}
