package import Foundation

/// A program in the background, ended with the test.
package final class RunningProgram {
    private let process: ChildProcess
    private let output: URL

    /// - Parameters:
    ///   - log: Where its output goes.
    ///   - input: The standard input of the program. It is empty if left out.
    package init(
        _ name: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:], log: URL
    ) throws {
        output = log
        try Data().write(to: log)
        var reading = ChildProcess.Stream.nothing
        if let input {
            // A file, not a pipe: nobody has to stay to feed it.
            let file = log.appendingPathExtension("in")
            try Data(input.utf8).write(to: file)
            reading = .reading(file)
        }
        process = try ChildProcess(
            Programs.url(name), arguments, environment: environment, input: reading, output: .appending(log),
            error: .appending(log))
    }

    deinit {
        if isRunning { kill() }
    }

    package var identifier: Int32 { process.identifier }
    package var isRunning: Bool { process.end == nil }
    package var log: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Asks it to stop, as a service manager would.
    ///
    /// - Returns: Its exit status.
    package func terminate() -> Int32 {
        process.signal(SIGTERM)
        return wait()
    }

    /// Waits for it to end by itself.
    ///
    /// - Returns: Its exit status, or the negative number of the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        _ = process.wait()
        return status
    }

    /// How it ended: its exit status, or the negative number of the signal. To be asked once it has ended.
    package var status: Int32 {
        guard let end = process.end else { preconditionFailure("The program has not ended.") }
        return end.isSignalled ? -end.status : end.status
    }

    package var endedBySignal: Bool { process.end?.isSignalled ?? false }

    package func kill() {
        process.signal(SIGKILL)
        _ = process.wait()
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
