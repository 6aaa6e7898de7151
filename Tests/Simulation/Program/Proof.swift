#if ROOST_SEEDED_BUGS
    import ArgumentParser
    import Foundation
    import RoostModel

    /// Tries each mistake in a process of its own, two at a time, and says which were caught.
    struct Proof {
        private static let atLeast = 18

        func run() throws {
            let started = Date()
            var waiting = SeededBug.allCases
            var caught = 0
            while !waiting.isEmpty {
                let pair = waiting.prefix(2)
                waiting.removeFirst(pair.count)
                for (bug, process, pipe) in try pair.map(start) {
                    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                    process.waitUntilExit()
                    // A trap is a find too: the code noticed that it cannot be.
                    if output.contains("caught by") && !output.contains("not caught") || process.terminationStatus > 1 {
                        caught += 1
                    }
                    print("\(bug.rawValue) \(bug): \(output.split(separator: "\n").first ?? "ended by a trap")")
                }
            }
            print("\(caught) of \(SeededBug.allCases.count) caught in \(Int(Date().timeIntervalSince(started))) s")
            if caught < Self.atLeast { throw ExitCode(1) }
        }

        private func start(_ bug: SeededBug) throws -> (SeededBug, Process, Pipe) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["--bug", "\(bug.rawValue)"]
            process.environment = ProcessInfo.processInfo.environment.merging([
                "SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no",
            ]) { $1 }
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            return (bug, process, pipe)
        }
    }
#endif
