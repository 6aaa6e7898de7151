internal import Foundation
internal import TestProcesses

/// A program that is left alone or killed after a while, and what it said.
struct KillableProgram {
    var wasKilled: Bool
    var status: Int32
    var log: String

    /// Runs a program until it ends, or kills it after `milliseconds`.
    static func run(
        _ name: String, _ arguments: [String], input: String? = nil, log: URL, killAfter milliseconds: Int?
    ) throws -> KillableProgram {
        let program = try RunningProgram(name, arguments, input: input, log: log)
        if let milliseconds {
            let deadline = Date(timeIntervalSinceNow: Double(milliseconds) / 1000)
            while program.isRunning, Date() < deadline { usleep(1000) }
            if program.isRunning {
                program.kill()
                return KillableProgram(wasKilled: program.endedBySignal, status: program.status, log: program.log)
            }
        }
        let status = program.wait()
        return KillableProgram(wasKilled: false, status: status, log: program.log)
    }
}
