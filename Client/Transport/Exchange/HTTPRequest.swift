/// One request to a server, relative to its address.
package struct HTTPRequest: Hashable, Sendable {
    package enum Method: String, Hashable, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// The expected timing of the server's answer.
    package enum Answer: Hashable, Sendable {
        /// An immediate answer: a connection that carries less than 1 KiB/s for 30 s is closed.
        case prompt
        /// An answer that the server holds until it has something to report: only ``HTTPRequest/timeout`` ends the wait.
        case held
    }

    package var method: Method
    /// The path and query, in ASCII, already percent-encoded, starting with `/`.
    package var path: String
    package var headers: HTTPHeaders
    package var body: [UInt8]
    /// The time limit from the call to the last byte of the response, including the wait for a free connection.
    package var timeout: Duration
    package var answer: Answer
    /// The maximum size of the response's body, in bytes after decompression; `nil` uses
    /// ``TransportConfiguration/responseBytesMax``.
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
