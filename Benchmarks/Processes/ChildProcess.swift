import BenchmarkData
import Foundation
import Synchronization

/// A program of Roost that runs concurrently. Its output is read line by line.
final class ChildProcess {
    /// The children that are running.
    private static let running = Mutex<Set<Int32>>([])

    /// The variable with a command that runs the children, such as valgrind with its options, separated by spaces
    /// (scripts/hot-functions).
    private static let underVariable = "ROOST_BENCH_UNDER"

    let id: Int32
    private let process = Process()
    private var lines: AsyncStream<String>.Iterator
    private let name: String

    /// - Parameter environment: Variables to add to this process's environment.
    init(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw BenchmarkError("There is no program \"\(program.path)\". Build it first; scripts/bench does.")
        }
        let output = Pipe()
        let own = ProcessInfo.processInfo.environment
        if let under = own[Self.underVariable] {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = under.split(separator: " ").map(String.init) + [program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.environment = own.merging(environment) { $1 }
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        lines = Self.lines(of: output.fileHandleForReading).makeAsyncIterator()
        name = program.lastPathComponent
        try process.run()
        let id = process.processIdentifier
        self.id = id
        _ = Self.running.withLock { $0.insert(id) }
    }

    deinit {
        stop()
    }

    /// Returns the next line that the program prints.
    func line() async throws -> String {
        guard let line = await lines.next() else { throw BenchmarkError("The program \(name) ended too early.") }
        return line
    }

    /// Returns the next line that the program prints; `nil` after it has ended.
    func nextLine() async -> String? { await lines.next() }

    /// Ends the program and waits for it.
    func stop() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        _ = Self.running.withLock { $0.remove(id) }
    }

    /// Kills all children without waiting.
    static func killAll() {
        for id in running.withLock({ $0 }) { kill(id, SIGKILL) }
    }

    /// Reads lines in a separate thread that blocks. If a `readabilityHandler` is removed at the end of the output,
    /// Foundation cancels a dispatch source whose event is still being delivered. That crashes the process, about once in
    /// some hundred children.
    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest: [UInt8] = []
            while case let data = handle.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            continuation.finish()
        }
        return stream
    }
}
