import Foundation

/// OpenSSL's test server, with a certificate of its own for 127.0.0.1.
final class TLSServer {
    let port: UInt16
    let certificateFile: String
    private let process: Process
    private let folder: URL
    /// The server's standard input, so that it does not read from the terminal.
    private let input = Pipe()

    static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// - Parameter leaf: The options with which an authority issues the server's certificate; ``certificateFile`` is then the
    ///   authority's. Without them the server's certificate is self-signed.
    init(arguments: [String] = [], leaf: [String]? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificateFile = folder.appending(path: "certificate.pem").path
        let keyFile = folder.appending(path: "key.pem").path
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let name = ["-subj", "/CN=Roost test", "-addext", "subjectAltName=IP:127.0.0.1"]
        try Self.run(["req", "-x509", "-days", "2", "-keyout", keyFile, "-out", certificateFile] + key + name)
        var (ownFile, ownKey) = (certificateFile, keyFile)
        if let leaf {
            ownFile = folder.appending(path: "leaf.pem").path
            ownKey = folder.appending(path: "leaf-key.pem").path
            let (request, names) = (folder.appending(path: "leaf.csr"), folder.appending(path: "names"))
            try Data("subjectAltName=IP:127.0.0.1\n".utf8).write(to: names)
            try Self.run(["req", "-keyout", ownKey, "-out", request.path, "-subj", "/CN=Leaf"] + key)
            try Self.run(
                [
                    "x509", "-req", "-in", request.path, "-CA", certificateFile, "-CAkey", keyFile, "-CAcreateserial",
                    "-extfile", names.path, "-out", ownFile,
                ] + leaf)
        }
        process = Self.openssl(
            ["s_server", "-www", "-accept", "127.0.0.1:0", "-cert", ownFile, "-key", ownKey] + arguments)
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        var text = ""
        while text.firstMatch(of: /ACCEPT 127\.0\.0\.1:(\d+)\n/) == nil {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw CocoaError(.fileReadUnknown) }
            text += String(decoding: bytes, as: UTF8.self)
        }
        port = text.firstMatch(of: /ACCEPT 127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) } ?? 0
    }

    deinit {
        // SIGTERM would have no effect: the threads that run tests block it, and a child process inherits their signal mask.
        kill(process.processIdentifier, SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ arguments: [String]) throws {
        let process = openssl(arguments)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
    }

    private static func openssl(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }
}
