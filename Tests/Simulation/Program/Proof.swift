#if ROOST_SEEDED_BUGS
    import ArgumentParser
    import Foundation
    import RoostModel

    /// Tries each seeded bug in a process of its own, two at a time, and reports which were caught. A search without a seeded
    /// bug comes first, since its findings would not be due to a seeded bug.
    struct Proof {
        private static let atLeast = 24

        private enum Outcome { case caught, notCaught }

        func run() throws {
            let started = Date()
            guard try search(for: [0]) == [.notCaught] else {
                print("without a mistake something is found: nothing is proven")
                throw ExitCode(1)
            }
            let bugs = SeededBug.allCases.map(\.rawValue)
            var outcomes: [Outcome] = []
            for first in stride(from: 0, to: bugs.count, by: 2) {
                outcomes += try search(for: Array(bugs[first..<min(first + 2, bugs.count)]))
            }
            let caught = outcomes.count { $0 == .caught }
            print("\(caught) of \(bugs.count) caught in \(Int(Date().timeIntervalSince(started))) s")
            if caught < Self.atLeast { throw ExitCode(1) }
        }

        /// Searches for several seeded bugs concurrently.
        ///
        /// - Parameter bugs: The numbers of the seeded bugs; 0 for none.
        private func search(for bugs: [Int]) throws -> [Outcome] {
            try bugs.map { (bug: $0, running: try start($0)) }.map { bug, running in
                let (process, pipe) = running
                let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                let name = SeededBug(rawValue: bug).map { "\($0)" } ?? "no mistake"
                print("\(bug) \(name): \(output.split(separator: "\n").first ?? "ended by a trap")")
                // A trap counts as a find: the code noticed an impossible state.
                return output.hasPrefix("caught by") || process.terminationStatus > 1 ? .caught : .notCaught
            }
        }

        private func start(_ bug: Int) throws -> (Process, Pipe) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = ["--bug", "\(bug)"]
            process.environment = ProcessInfo.processInfo.environment.merging([
                "SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no",
            ]) { $1 }
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            return (process, pipe)
        }
    }
#endif
