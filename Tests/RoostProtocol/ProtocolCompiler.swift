import Foundation

/// The Protocol Buffers compiler of the system, as a second opinion on `roost.proto`.
enum ProtocolCompiler {
    /// Where it is; `nil` where it is not installed.
    static let path = ["/usr/bin/protoc", "/usr/local/bin/protoc"].first(where: FileManager.default.isExecutableFile)

    /// Turns a message in one encoding into the other.
    static func run(_ mode: String, _ message: String, _ input: [UInt8]) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/RoostProtocol")
        let process = Process()
        process.executableURL = URL(filePath: path ?? "")
        process.arguments = ["--\(mode)=roost.v1.\(message)", "--proto_path=\(folder.path)", "roost.proto"]
        let (standardInput, standardOutput) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input))
        try standardInput.fileHandleForWriting.close()
        let output = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Array(output)
    }
}
