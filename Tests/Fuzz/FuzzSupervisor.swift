import Foundation

/// Runs one target in a process of its own, so that an input that crashes it can be identified.
struct FuzzSupervisor {
    private let name: String
    private let seed: UInt64
    private let seconds: Int
    private let keep: String

    init(_ name: String, seed: UInt64, seconds: Int, keep: String) {
        (self.name, self.seed, self.seconds, self.keep) = (name, seed, seconds, keep)
    }

    /// - Returns: Whether all inputs passed.
    func run() throws -> Bool {
        let current = FileManager.default.temporaryDirectory.appending(path: "roost-fuzz-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: current) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--target", name, "--seed", "\(seed)", "--seconds", "\(seconds)", "--worker", current]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        print(output, terminator: "")
        guard process.terminationStatus != 0 || process.terminationReason == .uncaughtSignal else { return true }
        let bytes = (try? Data(contentsOf: URL(filePath: current))) ?? Data()
        let hash = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        let file = "\(keep)/fuzz-\(name)-\(String(hash, radix: 16)).bin"
        try bytes.write(to: URL(filePath: file))
        if process.terminationReason == .uncaughtSignal {
            print("\(name): signal \(process.terminationStatus) ended the process")
        }
        print("\(name): the input is in \(file): roost-fuzz --target \(name) --replay \(file)")
        return false
    }
}
