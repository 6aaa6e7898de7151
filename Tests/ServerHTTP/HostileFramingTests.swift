import RoostModel
import RoostProtocol
import RoostService
import Testing

/// Malformed HTTP is refused and its connection closed. Nothing is stored, and other clients are still served.
@Suite struct HostileFramingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: String
        /// The accepted statuses. Closing the connection without an answer is always accepted.
        var statuses: [Int] = [400]

        var testDescription: String { name }
    }

    private static let post = "POST /v1/push HTTP/1.1\r\nHost: a\r\n"

    private static func lengths(_ values: [String]) -> [Case] {
        values.map {
            Case(
                name: "H03 Content-Length \($0)", bytes: post + "Content-Length: \($0)\r\n\r\nabcde",
                statuses: [400, 401, 413])
        }
    }

    private static let cases: [Case] =
        [
            Case(
                name: "H01 both lengths",
                bytes: post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            Case(name: "H02 two lengths", bytes: post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"),
            Case(
                name: "H04 unknown coding", bytes: post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                statuses: [400, 501]),
            Case(
                name: "H04 chunked before another",
                bytes: post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
                statuses: [400, 501]),
            Case(
                name: "H04 chunked twice", bytes: post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
                statuses: [400, 501]),
            Case(
                name: "H05 long chunk extension",
                bytes: post
                    + "Transfer-Encoding: chunked\r\n\r\n1;a=\(String(repeating: "a", count: 1 << 20))\r\na\r\n",
                statuses: [400, 401, 413, 431]),
            Case(name: "H06 bare LF", bytes: "GET /v1/me HTTP/1.1\nHost: a\n\n", statuses: [400, 401]),
            Case(
                name: "H06 bare LF in a field", bytes: post + "X: a\nContent-Length: 5\r\n\r\nabcde",
                statuses: [400, 401]),
            Case(
                name: "H09 another host", bytes: "GET http://b/v1/me HTTP/1.1\r\nHost: a\r\n\r\n",
                statuses: [400, 401, 404]),
            Case(name: "H04 tab before colon", bytes: post + "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n"),
            Case(
                name: "H05 chunk size overflow",
                bytes: post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\na\r\n",
                statuses: [400, 401, 413]),
            Case(
                name: "H05 negative chunk size", bytes: post + "Transfer-Encoding: chunked\r\n\r\n-1\r\na\r\n",
                statuses: [400, 401, 413]),
            Case(name: "H06 bare CR", bytes: "GET /v1/health HTTP/1.1\r\nHost: a\rX: b\r\n\r\n"),
            Case(name: "H06 NUL in a field", bytes: "GET /v1/health HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n"),
            Case(name: "H07 folded field", bytes: "GET /v1/health HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"),
            Case(name: "H08 no Host", bytes: "GET /v1/health HTTP/1.1\r\n\r\n"),
            Case(name: "H08 two Hosts", bytes: "GET /v1/health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
            Case(
                name: "H10 long request line",
                bytes: "GET /\(String(repeating: "a", count: 1 << 20)) HTTP/1.1\r\nHost: a\r\n\r\n",
                statuses: [400, 414, 431]),
            Case(
                name: "H11 many fields",
                bytes: "GET /v1/health HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: a\r\n", count: 10_000) + "\r\n",
                statuses: [431]),
            Case(
                name: "H12 one long field",
                bytes: "GET /v1/health HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 1 << 20))\r\n\r\n",
                statuses: [431]),
            Case(name: "H14 HTTP/0.9", bytes: "GET /v1/health\r\n\r\n"),
            Case(name: "H14 HTTP/2 preface", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", statuses: [400, 404, 405]),
            Case(name: "H14 TLS hello", bytes: "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}"),
            Case(name: "H16 CONNECT", bytes: "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", statuses: [400, 404, 405]),
            Case(
                name: "H17 lower-case method", bytes: "get /v1/health HTTP/1.1\r\nHost: a\r\n\r\n",
                statuses: [400, 405]),
            Case(
                name: "H17 long method", bytes: "\(String(repeating: "G", count: 65536)) / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ] + lengths(["+5", "5,5", "0x5", "-5", "99999999999999999999"])

    @Test(arguments: cases)
    func badFramingIsRefused(item: Case) async throws {
        try await TestServer.run { server in
            let reply = try await server.raw(Array(item.bytes.utf8), seconds: 3)
            if let reply { #expect(item.statuses.contains(reply.status), "\(reply.status)") }
            #expect(try server.service.store.read { try $0.scope(.init(1))?.head.sequence } == 0)
            #expect(try await server.isHealthy())
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await TestServer.run { server in
            let statuses = try await offTasks { [port = server.port] in
                let connection = try RawConnection(port: port)
                connection.send(TestServer.request("GET", "/v1/health") + TestServer.request("GET", "/v1/nothing"))
                return connection.receive(2).map(\.status)
            }
            #expect(statuses == [200, 404])
        }
    }

    @Test func bodyCutInTheMiddleStoresNothing() async throws {
        try await TestServer.run { server in
            let body = server.push(1).protobuf()
            try await offTasks { [port = server.port, token = server.owner.token] in
                let connection = try RawConnection(port: port)
                let fields = ["Content-Type: application/x-protobuf", "Content-Length: \(body.count)"]
                connection.send(
                    TestServer.request("POST", "/v1/push", token: token, fields: fields) + body.dropLast(5))
            }
            #expect(try await server.isHealthy())
            #expect(try server.service.store.read { try $0.scope(.init(1))?.head.sequence } == 0)
        }
    }
}
