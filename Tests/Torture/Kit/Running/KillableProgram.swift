internal import Foundation
internal import TestProcesses

/// A program that ran undisturbed, was stopped for a while, or was killed; with its output.
struct KillableProgram {
    /// A time in which the system does not run a program (SIGSTOP, SIGCONT).
    struct Pause {
        /// The start of the pause, in milliseconds after the start of the program.
        var after: Int
        var milliseconds: Int
    }

    var wasKilled: Bool
    var wasPaused: Bool
    var status: Int32
    var log: String

    /// Runs a program until it exits, or kills it after `milliseconds`, not counting a pause.
    static func run(
        _ name: String, _ arguments: [String], input: String? = nil, log: URL, pause: Pause? = nil,
        killAfter milliseconds: Int?
    ) throws -> KillableProgram {
        let program = try RunningProgram(name, arguments, input: input, log: log)
        var wasPaused = false
        if let pause, program.isStillRunning(after: pause.after) {
            program.pause(milliseconds: pause.milliseconds)
            wasPaused = true
        }
        if let milliseconds, program.isStillRunning(after: milliseconds) {
            program.kill()
            return KillableProgram(
                wasKilled: program.endedBySignal, wasPaused: wasPaused, status: program.status, log: program.log)
        }
        let status = program.wait()
        return KillableProgram(wasKilled: false, wasPaused: wasPaused, status: status, log: program.log)
    }
}

extension RunningProgram {
    /// Stops the program for a while, wherever it is: it keeps its locks and connections.
    func pause(milliseconds: Int) {
        Foundation.kill(identifier, SIGSTOP)
        usleep(UInt32(milliseconds) * 1000)
        Foundation.kill(identifier, SIGCONT)
    }

    /// Waits for the program's exit, but no longer than `milliseconds`.
    fileprivate func isStillRunning(after milliseconds: Int) -> Bool {
        let deadline = Date(timeIntervalSinceNow: Double(milliseconds) / 1000)
        while isRunning, Date() < deadline { usleep(1000) }
        return isRunning
    }
}
