package import Foundation

/// A program in the background, ended with the test.
package final class RunningProgram {
    private let process = Process()
    private let output: URL
    private let standard: FileHandle

    /// - Parameters:
    ///   - log: Where its output goes.
    ///   - input: What it reads; nothing if left out.
    package init(
        _ name: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:], log: URL
    ) throws {
        output = log
        try Data().write(to: log)
        standard = try FileHandle(forWritingTo: log)
        try standard.seekToEnd()
        process.executableURL = Programs.url(name)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        if let input {
            // A file, not a pipe: nobody has to stay to feed it.
            let file = log.appendingPathExtension("in")
            try Data(input.utf8).write(to: file)
            process.standardInput = try FileHandle(forReadingFrom: file)
        }
        process.standardOutput = standard
        process.standardError = standard
        try process.run()
    }

    deinit {
        if process.isRunning { kill() }
    }

    package var identifier: Int32 { process.processIdentifier }
    package var isRunning: Bool { process.isRunning }
    package var log: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Asks it to stop, as a service manager would.
    ///
    /// - Returns: Its exit status.
    package func terminate() -> Int32 {
        process.terminate()
        return wait()
    }

    /// Waits for it to end by itself.
    ///
    /// - Returns: Its exit status, or the negative number of the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        process.waitUntilExit()
        return status
    }

    /// How it ended: its exit status, or the negative number of the signal.
    package var status: Int32 {
        process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    package var endedBySignal: Bool { process.terminationReason == .uncaughtSignal }

    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// Looks again and again until something holds; a test's bound, never a measure.
package func eventually(within seconds: Double = 120, _ condition: () throws -> Bool) throws -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    repeat {
        if try condition() { return true }
        Thread.sleep(forTimeInterval: 0.02)
    } while Date() < deadline
    return false
}
