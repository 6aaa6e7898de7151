import Foundation
import RoostModel
import RoostProtocol
import TestLoopback
import TestProcesses
import Testing

/// A server whose texts are made to control a terminal, to reverse the direction of writing, or to forge lines. No program
/// prints them unchanged.
@Suite(.serialized) struct HostileServerTests {
    private static let text =
        "Zorro\u{1B}[31m\u{1B}]0;t\u{7}\u{9B}2J\r\nforged: line\nforged\u{202E}\u{2066}\u{200F}\u{2028}forged"
    private static let other = "0000000000000009"

    private static func answer(_ connection: LoopbackConnection, _ status: String, _ body: [UInt8], _ type: String) {
        let fields = ["HTTP/1.1 \(status)", "Content-Type: \(type)", "Content-Length: \(body.count)"]
        connection.send(Array((fields.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// Makes a server that refuses every request.
    private static func refusing(_ code: String) throws -> LoopbackServer {
        try LoopbackServer { _, connection in
            let error = ProtocolError(ErrorCode(rawValue: code), text, requestID: text)
            answer(connection, "403 Zorro\u{1B}[31m", error.json.encoded, "application/json")
            return .keep
        }
    }

    /// Makes a server that accepts every request except pushes, with hostile names in its replies.
    private static func naming(schema: String) throws -> LoopbackServer {
        try LoopbackServer { request, connection in
            if request.line.hasPrefix("POST /v1/push") {
                let push = try? PushRequest(protobuf: request.body)
                let refusal = PushReply.Refusal(code: ErrorCode(rawValue: text), message: text)
                let reply = PushReply(
                    number: push?.number ?? 0,
                    results: (push?.transactions ?? []).map { _ in .refused(refusal) }, serverTime: 0)
                answer(connection, "200 OK", reply.protobuf(), "application/x-protobuf")
            } else if request.line.hasPrefix("GET /v1/pull") {
                let page = PullReply(
                    records: [], checkpoint: Checkpoint(bytes: [1]), hasMore: false, digest: nil, schemaVersion: 1,
                    serverTime: 0)
                answer(connection, "200 OK", page.protobuf(), "application/x-protobuf")
            } else {
                answer(connection, "200 OK", everything(schema).encoded, "application/json")
            }
            return .keep
        }
    }

    /// Returns the members that any reply in JSON has.
    private static func everything(_ schema: String) -> JSONValue {
        let device = JSONValue.members(
            ("replica", .string(other)), ("name", .string(text)), ("role", .string("editor")), ("created", .integer(0)),
            ("lastSeen", .integer(0)))
        return .members(
            ("scope", .string("00000000-0000-0000-0000-000000000001")), ("scopeName", .string(text)),
            ("replica", .string(other)), ("token", .string("roost_d_" + String(repeating: "A", count: 36))),
            ("role", .string("editor")),
            ("schema", .string(schema)), ("serverTime", .integer(0)), ("devices", .array([device])),
            ("invited", .array([device])), ("digest", .string(text)), ("id", .string(text)),
            ("expires", .integer(0)), ("usesLeft", .integer(1)),
            (
                "invites",
                .array([
                    .members(
                        ("id", .string(text)), ("role", .string("editor")), ("expires", .integer(0)),
                        ("usesLeft", .integer(1)))
                ])
            ))
    }

    private func expectHarmless(_ output: String, _ what: String) {
        let unsafe = output.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar != "\n" && scalar != "\t"
            default: false
            }
        }
        #expect(unsafe.isEmpty, "\(what): \(unsafe.map { String($0.value, radix: 16) })")
        let lines = output.utf8.split(separator: UInt8(ascii: "\n"))
        #expect(!lines.contains { $0.starts(with: "forged".utf8) }, "\(what): \(output)")
    }

    /// Runs a command without and with `--json`; both may fail.
    ///
    /// - Returns: The output of both.
    @discardableResult
    private func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> String {
        try [[], ["--json"]].map { json in
            let output = try Programs.run(program, arguments + json, environment: environment)
            let text = output.standard + output.error
            #expect(!output.isSignalled, "\(arguments)")
            expectHarmless(text, "\(program) \(arguments) \(json)")
            return text
        }.joined()
    }

    private func point(_ replica: String, at server: LoopbackServer) throws {
        try Programs.sql(
            replica, "UPDATE roost_state SET value = 'http://127.0.0.1:\(server.port)' WHERE name = 'server'")
    }

    private func replica(of stage: Stage) throws -> String {
        let replica = try stage.makeScope()
        try Programs.check("roost", "sync", replica)
        try Programs.sql(replica, "INSERT INTO person(name) VALUES ('Ana')")
        return replica
    }

    @Test(arguments: [text, "forbidden", "revoked"]) func aRefusalIsShownHarmless(code: String) throws {
        let (stage, server) = (try Stage(), try Self.refusing(code))
        defer { server.close() }
        let replica = try replica(of: stage)
        let schema = stage.path("schema.json")
        try point(replica, at: server)
        for arguments in [
            ["sync", replica], ["devices", replica], ["invites", replica], ["invite", replica],
            ["invite", replica, "--revoke", "abc"], ["revoke", replica, Self.other],
            ["role", replica, Self.other, "viewer"], ["digest", replica, "--server"],
            ["schema", "publish", replica, schema],
            ["join", "http://127.0.0.1:\(server.port)/join#roost_i_abc", stage.path("b.roost")],
            ["token", "rotate", replica],
        ] {
            let text = try run("roost", arguments)
            #expect(text.contains("Zorro") || code == "revoked", "\(arguments): \(text)")
        }
        for command in ["status", "journal", "log", "check"] { try run("roost", [command, replica]) }
    }

    @Test func namesOfAServerAreShownHarmless() throws {
        let (stage, server) = (try Stage(), try Self.naming(schema: Stage.schema))
        defer { server.close() }
        let replica = try replica(of: stage)
        try point(replica, at: server)
        for arguments in [
            ["devices", replica], ["invites", replica], ["invite", replica], ["revoke", replica, Self.other],
            ["role", replica, Self.other, "viewer"],
            ["join", "http://127.0.0.1:\(server.port)/join#roost_i_abc", stage.path("b.roost")], ["sync", replica],
        ] {
            let text = try run("roost", arguments)
            #expect(
                text.contains("Zorro") || arguments[0] == "sync" || arguments[0] == "invite", "\(arguments): \(text)")
        }
        // The push was refused with a text of the server.
        #expect(try run("roost", ["journal", replica]).contains("Zorro"))
        #expect(try run("roost", ["restore", replica, "1"]).contains("Zorro"))
        #expect(try run("roost", ["status", stage.path("b.roost")]).contains("Zorro"))
        for command in ["digest", "token"] {
            try run("roost", command == "token" ? ["token", "rotate", replica] : ["digest", replica, "--server"])
        }
        for command in ["status", "log", "check"] { try run("roost", [command, replica]) }
    }

    /// Users and programs read lines of a log, so one event is one line.
    @Test func theLogOfADaemonIsHarmless() throws {
        let stage = try Stage()
        let replica = try replica(of: stage)
        for code in [Self.text, "forbidden"] {
            let server = try Self.refusing(code)
            defer { server.close() }
            try point(replica, at: server)
            let daemon = try RunningProgram(
                "roostd", [replica, "--log-level", "trace"], log: stage.folder.appending(path: "\(UUID()).log"))
            #expect(try eventually { daemon.log.contains("Zorro") || !daemon.isRunning })
            #expect(daemon.terminate() == 0, "\(daemon.log)")
            expectHarmless(daemon.log, "roostd")
            #expect(daemon.log.contains("Zorro"))
        }
    }

    @Test func cekikapeyeShowsNothingOfAServerAsItCame() throws {
        let stage = try Stage()
        let schema = try String(
            contentsOf: Programs.repository.appending(path: "Client/Cekikapeye/cekikapeye.schema.json"), encoding: .utf8
        )
        let (refusing, naming) = (try Self.refusing("forbidden"), try Self.naming(schema: schema))
        defer {
            refusing.close()
            naming.close()
        }
        let environment = ["XDG_CONFIG_HOME": stage.path("config"), "CEKIKAPEYE_GROUP": ""]
        let group = stage.path("trip.roost")
        func check(_ arguments: String...) throws {
            let output = try Programs.run("cekikapeye", arguments, environment: environment)
            #expect(output.status == 0, "\(output)")
        }
        try check("new", "Trip", "Ana", "Ben", "--currency", "EUR", "--file", group)
        try check(
            "share", "--group", group, "--server", stage.address, "--admin-token-file", stage.path("server/admin-token")
        )
        try check("add", "30", "pizza", "--by", "Ana", "--group", group)
        try point(group, at: refusing)
        for command in ["sync", "invite", "status"] {
            let text = try run("cekikapeye", [command, "--group", group], environment: environment)
            #expect(text.contains("Zorro") || command == "status", "\(command): \(text)")
        }
        for server in [refusing, naming] {
            let link = "http://127.0.0.1:\(server.port)/join#roost_i_abc"
            let text = try run(
                "cekikapeye", ["join", link, "--file", stage.path("\(server.port).roost")], environment: environment)
            #expect(text.contains("Zorro") || server.port == naming.port, "\(text)")
        }
        try point(group, at: naming)
        for command in ["sync", "status", "log", "list", "invite"] {
            try run("cekikapeye", [command, "--group", group], environment: environment)
        }
    }
}
