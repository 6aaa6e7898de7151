internal import Glibc
internal import Synchronization

/// The limit and the announcement of this process's waits for programs that hold a replica file.
///
///     FileWaits.limit(toSeconds: 30) { print("waiting for \($0)") }
///     let replica = try Replica(opening: "trip.roost")
package enum FileWaits {
    private struct State {
        /// The limit of all waits together, in milliseconds; `nil` for no limit.
        var total: Int?
        var waited = 0
        var announced: Set<String> = []
        var announce: (@Sendable (String) -> Void)?
    }

    private static let state = Mutex(State())

    /// The milliseconds after which a wait is announced.
    private static let silentMilliseconds = 1000
    /// The milliseconds that each wait may take once the total is used up. A commit of another program ends within that time.
    private static let leastMilliseconds = 500
    /// The pauses of SQLite's own busy handler, in milliseconds; the last one repeats.
    private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    /// Limits the time of all waits of this process together. For programs that run one command.
    ///
    /// - Parameter announce: Called once for each file for which a wait exceeds a second, with a phrase that names the file and
    ///   the reason.
    package static func limit(toSeconds seconds: Int, announce: @escaping @Sendable (String) -> Void) {
        state.withLock { $0 = State(total: seconds * 1000, announce: announce) }
    }

    /// A closure that announces a wait for something other than a file, such as a server; `nil` in a program that announces no
    /// waits.
    package static var announcer: (@Sendable (String) -> Void)? { state.withLock { $0.announce } }

    /// Pauses before an attempt to lock is repeated.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt, from 0 for each wait.
    ///   - most: The milliseconds that one wait may take.
    /// - Returns: Whether to try again.
    static func pause(before attempt: Int, most: Int, for path: String) -> Bool {
        let last = pauses.count - 1
        let pause = pauses[min(attempt, last)]
        let waited = pauses.prefix(attempt).reduce(0, +) + max(0, attempt - pauses.count) * pauses[last]
        guard waited + pause <= most else { return false }
        let (mayWait, announce) = state.withLock { state -> (Bool, (@Sendable (String) -> Void)?) in
            if let total = state.total, state.waited + pause > total, waited + pause > leastMilliseconds {
                return (false, nil)
            }
            state.waited += pause
            let isNews = waited >= silentMilliseconds && state.announced.insert(path).inserted
            return (true, isNews ? state.announce : nil)
        }
        announce?("another program that holds \"\(path)\"")
        if mayWait { usleep(UInt32(pause) * 1000) }
        return mayWait
    }
}

/// The limit of waits for a lock of the file, shared by the connections of one configuration.
final class FileWait: Sendable {
    private let path: String
    private let most: Atomic<Int>

    init(_ path: String, mostMilliseconds: Int = ReplicaFile.busySeconds * 1000) {
        self.path = path
        most = Atomic(mostMilliseconds)
    }

    /// Handles a busy file for SQLite: pauses, and returns whether to try again.
    func goesOn(_ attempt: Int) -> Bool {
        FileWaits.pause(before: attempt, most: most.load(ordering: .relaxed), for: path)
    }

    /// Limits each wait from now on to `milliseconds`.
    func limit(to milliseconds: Int) { most.store(milliseconds, ordering: .relaxed) }

    /// Limits each wait to `milliseconds` while `body` runs.
    func limited<Result>(to milliseconds: Int, _ body: () throws -> Result) rethrows -> Result {
        let before = most.exchange(milliseconds, ordering: .relaxed)
        defer { most.store(before, ordering: .relaxed) }
        return try body()
    }
}
