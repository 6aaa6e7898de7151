import Foundation
import TestLoopback
import TestProcesses
import Testing

/// Invalid registrations that a server sends.
@Suite struct HostileRegistrationTests {
    private static let link = "join#roost_i_kaLo0Xg5Ck0C9wmm25xvfxM2lLAsk33HbhJR"
    private static let token = "roost_d_0123456789abcdefghijklmnopqrstuvABCD"

    /// - Parameter name: The name of the scope.
    private func server(token: String = token, name: String = "F", entities: Int = 1) throws -> LoopbackServer {
        let list = (1...entities).map { #"{\"id\":\#($0),\"name\":\"E\#($0)\"}"# }.joined(separator: ",")
        let body = #"""
            {"scope":"01a1fc5b-3e4c-7b95-84ff-4719b867fef1","scopeName":"\#(name)","replica":"243b9f8e2a33ef59",\#
            "token":"\#(token)","role":"editor","serverTime":1795235200588,\#
            "schema":"{\"format\":1,\"name\":\"t\",\"version\":1,\"entities\":[\#(list)]}"}
            """#
        return try LoopbackServer { request, connection in
            guard request.line.contains("/v1/join") else {
                connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                return .keep
            }
            connection.send("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n")
            connection.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return .keep
        }
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-registration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    @Test(arguments: [#"x\r\nX-Evil: 1"#, "roost_d_", "a b"]) func aTokenThatIsNoneIsNotStored(token: String) throws {
        let server = try server(token: token)
        defer { server.close() }
        try inFolder { folder in
            let join = try Programs.run(
                "roost", ["join", "http://127.0.0.1:\(server.port)/\(Self.link)", folder + "/a.roost"])
            #expect(join.status == 65, "\(join)")
            #expect(join.error.contains("Cannot join: The server's answer is not the one expected"), "\(join)")
            #expect(join.error.contains("expected a device token"), "\(join)")
            #expect(!join.error.contains("X-Evil"), "\(join)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    /// Making the tables takes a while, and must not look like a hang.
    @Test func aFileOfManyEntitiesIsSaidToBeMade() throws {
        let server = try server(entities: 510)
        defer { server.close() }
        try inFolder { folder in
            let join = try Programs.run(
                "roost", ["join", "http://127.0.0.1:\(server.port)/\(Self.link)", folder + "/a.roost"])
            #expect(join.error.contains("waiting for the tables of 510 entities"), "\(join)")
            #expect(try Programs.run("roost", ["status", folder + "/a.roost"]).status == 0)
        }
    }

    @Test func aNameOfAnyLengthIsCut() throws {
        let server = try server(name: String(repeating: "N", count: 500_000))
        defer { server.close() }
        try inFolder { folder in
            let join = try Programs.run(
                "roost", ["join", "http://127.0.0.1:\(server.port)/\(Self.link)", folder + "/a.roost"])
            #expect(join.standard.contains("NNNN…"), "\(join)")
            #expect(join.standard.utf8.count < 500, "\(join)")
            #expect(try Programs.run("roost", ["status", folder + "/a.roost"]).standard.utf8.count < 2000)
        }
    }
}
