import Roost
import RoostProtocol
import TestLoopback
import Testing
import Transport

/// Errors of a later version of the server (protocol.md §9).
@Suite struct UnknownErrorTests {
    @Test(arguments: [
        (599, "from_the_future", ErrorCode.internalError), (500, "from_the_future", .internalError),
        (404, "from_the_future", ErrorCode(rawValue: "from_the_future")), (503, "stopping", .stopping),
    ])
    func unknownCodeCountsByItsStatus(status: Int, code: String, expected: ErrorCode) async throws {
        let body = "{\"error\":{\"code\":\"\(code)\",\"message\":\"No.\"}}"
        let server = try LoopbackServer { _, connection in
            connection.send("HTTP/1.1 \(status) No\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return .keep
        }
        defer { server.close() }
        let transport = try HTTPTransport(to: try ServerAddress("http://127.0.0.1:\(server.port)"))
        var failure: ServerFailure?
        do throws(ServerFailure) {
            _ = try await ServerClient(transport, token: nil).pull(since: nil, waitSeconds: 0)
        } catch {
            failure = error
        }
        #expect(failure == .refused(ProtocolError(expected, "No.")))
        await transport.shutdown()
    }
}
