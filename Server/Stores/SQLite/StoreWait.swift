internal import Foundation
internal import GRDB

/// The wait of a store for another program that holds its file.
///
///     let store = try SQLiteStore(path: path, waiting: StoreWait(seconds: 30) { print("waiting for \($0)") })
package struct StoreWait: Sendable {
    /// The wait of a server. A push that waits for longer is answered with an error.
    package static let ofServer = StoreWait(seconds: 5)

    /// The milliseconds after which a wait is announced.
    private static let silentMilliseconds = 1000
    /// The pauses between attempts, in milliseconds. The last one repeats.
    private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    private let milliseconds: Int
    private let announce: (@Sendable (String) -> Void)?

    /// Makes a wait.
    ///
    /// - Parameters:
    ///   - seconds: The longest wait for one lock.
    ///   - announce: Called in each wait that takes longer than a second, with a phrase that names the file and the reason.
    package init(seconds: Int, announce: (@Sendable (String) -> Void)? = nil) {
        milliseconds = seconds * 1000
        self.announce = announce
    }

    /// Returns the busy handler for the connections of a file.
    func mode(_ path: String) -> Database.BusyMode {
        .callback { attempt in
            let last = Self.pauses.count - 1
            let pause = Self.pauses[min(attempt, last)]
            let waited =
                Self.pauses.prefix(attempt).reduce(0, +) + max(0, attempt - Self.pauses.count) * Self.pauses[last]
            guard waited + pause <= milliseconds else { return false }
            if waited < Self.silentMilliseconds, waited + pause >= Self.silentMilliseconds {
                announce?("another program that holds \"\(path)\"")
            }
            usleep(UInt32(pause) * 1000)
            return true
        }
    }
}
