import Foundation
import Replica
import Roost
import Session
import TestLoopback
import Testing

/// Invalid tokens from a server.
@Suite struct HostileTokenTests {
    @Test(arguments: ["x", #"roost_d_0123456789abcdefghijklmnopqrstuvABCD\r\nX-Evil: 1"#, ""])
    func aRotationTakesNoneInTheirPlace(token: String) async throws {
        let body = #"{"token":"\#(token)"}"#
        let server = try LoopbackServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
            connection.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return .keep
        }
        defer { server.close() }
        let device = try JoinedDevice(.once(attemptsMax: 3), port: server.port)
        let error = await #expect(throws: RoostError.self) { try await device.replica.rotateToken() }
        #expect(error?.code == .incompatible, "\(String(describing: error))")
        #expect(error?.message.contains("token that is none of a device") == true, "\(String(describing: error))")
        // The device keeps the token that it has made. The next synchronisation settles it.
        let stored = try #require(try device.replica.membership()?.token)
        #expect(stored.hasPrefix("roost_d_") && stored.utf8.count == 44)
        #expect(try device.replica.earlierTokens().contains("token"))
        await device.shutdown()
    }
}
