package import Foundation

/// A real server on a free port and devices beside it, in a folder of their own.
package final class Stage {
    package let folder: URL
    private let isTemporary: Bool
    /// The programs that the stage starts from now on.
    package var programs: ProgramSet
    package private(set) var server: RunningProgram?
    package private(set) var address = ""
    private var port = 0

    /// A device that takes another identity at each of hundreds of faults is no limit's concern here, nor how often it asks.
    private static let limits = [
        "ROOST_REQUESTS_PER_SECOND": "0", "ROOST_REPLICAS_PER_SCOPE_MAX": "2000", "ROOST_RENEWALS_PER_DAY_MAX": "2000",
        "ROOST_UNAUTHENTICATED_PER_MINUTE": "0",
    ]

    /// - Parameter place: A folder to make and to keep; a temporary one if left out.
    package init(_ programs: ProgramSet = .built, in place: URL? = nil) throws {
        self.programs = programs
        isTemporary = place == nil
        folder =
            place ?? FileManager.default.temporaryDirectory.appending(path: "roost-stage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try startServer()
    }

    deinit {
        server?.kill()
        if isTemporary { try? FileManager.default.removeItem(at: folder) }
    }

    /// Starts the server, the second time on the port and the data it had.
    ///
    /// - Parameter wrapper: A program, and its arguments, that starts it.
    package func startServer(environment: [String: String] = [:], through wrapper: [String] = []) throws {
        let log = folder.appending(path: "server-\(UUID().uuidString).log")
        let command =
            wrapper + [
                Programs.url(programs.name("roost-server")).path, "serve", "--data", path("server"),
                "--listen", "127.0.0.1:\(port)",
            ]
        let server = try RunningProgram(
            command[0], Array(command.dropFirst()),
            environment: Self.limits.merging(environment) { $1 }, log: log)
        self.server = server
        let prefix = "roost-server listening on "
        var line: Substring?
        let isUp = try eventually(within: 60) {
            line = server.log.split(separator: "\n").first { $0.hasPrefix(prefix) }
            return line != nil || !server.isRunning
        }
        guard isUp, line != nil else {
            let output = Programs.Output(status: -1, standard: "", error: server.log)
            throw UnexpectedEnd(program: "roost-server", output: output)
        }
        address = String(line?.dropFirst(prefix.count) ?? "")
        port = Int(address.split(separator: ":").last ?? "") ?? 0
    }

    package func path(_ name: String) -> String { folder.appending(path: name).path }

    package var adminToken: String {
        ((try? String(contentsOfFile: path("server/admin-token"), encoding: .utf8)) ?? "")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package static let schema = """
        {"format": 1, "name": "trip", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
            {"id": 5, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person",
             "deleteRule": "cascade"},
            {"id": 6, "name": "guaranteed", "kind": "toMany", "destination": "Spending", "inverse": "guarantor",
             "deleteRule": "deny"}]},
          {"id": 2, "name": "Spending", "attributes": [
            {"id": 1, "name": "content", "type": "string"}, {"id": 2, "name": "amount", "type": "integer", "default": 0}],
           "relationships": [
            {"id": 8, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"},
            {"id": 9, "name": "guarantor", "kind": "toOne", "destination": "Person", "inverse": "guaranteed"}]}]}
        """

    /// Makes a scope with a first device, whose replica is returned.
    ///
    /// - Parameter options: Further options of `roost init`.
    package func makeScope(
        _ name: String = "a.roost", schema: String = Stage.schema, options: [String] = []
    ) throws -> String {
        try Data(schema.utf8).write(to: folder.appending(path: "schema.json"))
        try programs.check(
            "roost",
            ["init", path(name), "--schema", path("schema.json"), "--server", address, "--device", name] + options,
            environment: ["ROOST_ADMIN_TOKEN": adminToken])
        return path(name)
    }

    /// Lets another device join the scope of `replica`.
    ///
    /// - Parameter options: Further options of `roost join`.
    package func join(
        _ replica: String, as name: String, role: String = "editor", options: [String] = []
    ) throws -> String {
        let link = try programs.check("roost", "invite", replica, "--role", role).lines.first ?? ""
        try programs.check("roost", ["join", link, path(name), "--device", name] + options)
        return path(name)
    }
}

/// The 16-byte identifier that ends in `number`, as an SQL literal.
package func id(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "x'\(String(repeating: "0", count: 32 - digits.count))\(digits)'"
}
