import ArgumentParser
import BenchmarkData
import Foundation
import Glibc
import Replica
import Roost

/// The other device of the row "live": keeps a replica synchronised and prints when each new spending is there.
struct ObserveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "observe", abstract: "Be the other device (used by the run itself).", shouldDisplay: false)

    @Option var replica: String
    @Option var synchronous: String

    func run() async throws {
        let path = replica
        guard let synchronous = Durability(rawValue: synchronous) else {
            throw ValidationError("Expected --synchronous full or normal.")
        }
        let device = try Replica(opening: path, durability: synchronous)
        let session = try LiveSession(device)
        let isReady = OneTimeFlag()
        let watching = Thread {
            do {
                try Self.watch(path, synchronous, isReady)
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
            }
        }
        watching.start()
        // The server's part of the connection is under way once the first pull is in.
        Task {
            try await Task.sleep(for: .milliseconds(500))
            isReady.set()
        }
        _ = await session.run()
    }

    /// How often it looks after a notice, and how long it rests between: the rows of a commit are there a moment after its last page.
    private static let looksMax = 20
    private static let restMicroseconds: UInt32 = 20
    /// Linux lets a thread sleep 50 microseconds longer than it asks for, to gather wakings, unless it says less: a look would come
    /// that much late.
    private static let slackNanoseconds = 1000
    /// Without a notice it looks all the same.
    private static let pollMilliseconds: Int32 = 5

    /// Waits until the file's log is written to, looks for new rows, and says when each was there by the clock that all
    /// processes share. Between notices it rests: a look takes time from those that it is to measure.
    static func watch(_ path: String, _ durability: Durability, _ isReady: OneTimeFlag) throws {
        let database = try RawDatabase(path, durability)
        let last = try database.prepare("SELECT max(rowid) FROM spending")
        let notices = inotify_init1(0)
        guard notices >= 0, inotify_add_watch(notices, path + "-wal", UInt32(IN_MODIFY)) >= 0 else {
            throw BenchmarkError("The log of \(path) cannot be watched.")
        }
        // The kernel has this file of a thread by its number only.
        let thread = URL(fileURLWithPath: "/proc/thread-self").resolvingSymlinksInPath().lastPathComponent
        try Data("\(Self.slackNanoseconds)".utf8).write(to: URL(fileURLWithPath: "/proc/\(thread)/timerslack_ns"))
        var buffer = [UInt8](repeating: 0, count: 4096)
        var seen = 0
        while true {
            if isReady.take() { say("ready") }
            var waiting = pollfd(fd: notices, events: Int16(POLLIN), revents: 0)
            let isNotified = poll(&waiting, 1, Self.pollMilliseconds) > 0
            if isNotified { _ = read(notices, &buffer, buffer.count) }
            for _ in 0..<(isNotified ? Self.looksMax : 1) {
                let newest = try last.step() ? last.integer(0) : 0
                last.reset()
                if newest > seen {
                    let now = Stopwatch.nanoseconds
                    for _ in seen..<newest { say("\(now)") }
                    seen = newest
                    break
                }
                usleep(Self.restMicroseconds)
            }
        }
    }

    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
