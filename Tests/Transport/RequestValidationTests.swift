import TestLoopback
import Testing
import Transport

/// Requests whose bytes could be read as a different request are not sent.
@Suite struct RequestValidationTests {
    static let requests: [HTTPRequest] = [
        HTTPRequest(.get, "/", headers: ["Authorization": "Bearer t\r\nX-Evil: 1"]),
        HTTPRequest(.get, "/", headers: ["X": "a\nb"]),
        HTTPRequest(.get, "/", headers: ["X": "a\u{0}b"]),
        HTTPRequest(.get, "/", headers: ["X": "é"]),
        HTTPRequest(.get, "/", headers: ["X: y\r\nZ": "a"]),
        HTTPRequest(.get, "/", headers: ["": "a"]),
        HTTPRequest(.get, "/", headers: ["Host": "elsewhere.example"]),
        HTTPRequest(.post, "/", headers: ["content-length": "1"]),
        HTTPRequest(.post, "/", headers: ["Transfer-Encoding": "chunked"]),
        HTTPRequest(.get, "/", headers: ["X": String(repeating: "a", count: 20_000)]),
        HTTPRequest(.get, ""),
        HTTPRequest(.get, "v1"),
        HTTPRequest(.get, "@elsewhere.example/"),
        HTTPRequest(.get, "/a b"),
        HTTPRequest(.get, "/ HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n"),
        HTTPRequest(.get, "/a#b"),
        HTTPRequest(.get, "/é"),
        HTTPRequest(.get, "/" + String(repeating: "a", count: 9000)),
        HTTPRequest(.get, "/", body: [1]),
    ]

    @Test(arguments: requests)
    func requestIsRefused(request: HTTPRequest) async throws {
        let transport = try HTTPTransport(port: LoopbackServer.unusedPort())
        #expect(await transport.failure(of: request)?.cause == .invalidRequest)
    }

    @Test func refusalKeepsTheValueToItself() async throws {
        let transport = try HTTPTransport(port: LoopbackServer.unusedPort())
        let request = HTTPRequest(.get, "/", headers: ["Authorization": "Bearer secret\r\n"])
        let error = try #require(await transport.failure(of: request))
        #expect(error.description.contains("Authorization"))
        #expect(!error.description.contains("secret"))
    }
}
