import Foundation
import RoostModel
import RoostProtocol

/// The program `roost-server`, as built along with the tests.
final class ServerProgram: Sendable {
    /// The exit status and the output of a program.
    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var errors: String
    }

    struct StartError: Error {}

    let process: Process
    let port: Int
    private let errorPath: String

    /// Starts `serve` on a free port, and waits until it reports that it is listening.
    init(data: String, _ arguments: [String] = []) throws {
        errorPath = data + ".log"
        try Data().write(to: URL(filePath: errorPath))
        process = try Self.make(["--data", data, "--listen", "127.0.0.1:0"] + arguments)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle(forWritingAtPath: errorPath)
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let text = line.split(separator: ":").last,
            let port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { throw StartError() }
        self.port = port
    }

    /// The log so far.
    var log: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

    /// Sends one request on a separate connection.
    func call(_ method: String, _ path: String, token: String?, _ body: JSONValue? = nil) throws -> RawConnection.Reply?
    {
        let connection = try RawConnection(port: port, seconds: 30)
        let fields = body == nil ? [] : ["Content-Type: application/json"]
        connection.send(TestServer.request(method, path, token: token, fields: fields, body: body?.encoded ?? []))
        return connection.receive()
    }

    /// Makes a scope with the folder's admin token.
    func makeScope(data: String) throws -> Registration {
        let admin = try String(contentsOfFile: data + "/admin-token", encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines)
        let body = JSONValue.members(
            ("name", .string("Lisbon")), ("device", .string("Ana")), ("schema", .string(TestServer.schema)),
            ("nonce", .string("program-nonce")))
        return try Registration(json: call("POST", "/v1/scopes", token: admin, body)?.json ?? .null)
    }

    /// Stops the program as an operator would, and returns its exit status and the seconds that this took.
    func stop() -> (status: Int32, seconds: Double) {
        let start = ContinuousClock.now
        process.terminate()
        process.waitUntilExit()
        let taken = ContinuousClock.now - start
        return (
            process.terminationStatus, Double(taken.components.seconds) + Double(taken.components.attoseconds) / 1e18
        )
    }

    /// Runs the program until it exits.
    static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) throws -> Outcome {
        let process = try make(arguments)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        standardInput.fileHandleForWriting.write(Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let outputData = output.fileHandleForReading.readDataToEndOfFile()
        let errorData = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: String(decoding: outputData, as: UTF8.self),
            errors: String(decoding: errorData, as: UTF8.self))
    }

    /// Returns the path of a data folder that does not exist yet.
    static func newFolder() -> String {
        FileManager.default.temporaryDirectory.appending(path: "roost-server-\(UUID().uuidString)").path
    }

    private static func make(_ arguments: [String]) throws -> Process {
        // The test program is in the folder of the products, or in a bundle inside it.
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        while !FileManager.default.isExecutableFile(atPath: folder.appending(path: "roost-server").path),
            folder.path != "/"
        {
            folder.deleteLastPathComponent()
        }
        let process = Process()
        process.executableURL = folder.appending(path: "roost-server")
        process.arguments = arguments
        return process
    }
}
