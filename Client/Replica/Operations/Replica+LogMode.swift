internal import GRDB
internal import Synchronization

extension Replica {
    /// The time for which opening a file waits for other programs, before the file is used without settling their writes.
    static let openingMilliseconds = 2000
    /// The time for which the engine waits while the WAL is off: a program that waits to commit then blocks all readers.
    private static let logOffMilliseconds = 500
    /// Seconds between two attempts to switch the WAL on.
    private static let attemptSeconds = 5

    /// Switches the file's WAL on again if another program has switched it off: without the WAL, every reader blocks all
    /// writers.
    ///
    /// SQLite refuses while another program has the file open. ``ReplicaStatus/isLogOff`` then reports it, and sessions try
    /// again.
    package func switchLogOn() {
        let wasOff = logMode.withLock { $0.isOff }
        guard tryToSwitchLogOn() == false, !wasOff else { return }
        foundDamage.withLock { found in
            var damage = found ?? OutboxDamage()
            damage.notices.append(logOffNotice)
            found = damage
        }
    }

    /// Tries to switch the WAL on after a failed attempt, at most once per `attemptSeconds`.
    ///
    /// - Returns: Whether the WAL is on now; `nil` if nothing was tried or the WAL was not off.
    package func switchLogOnAgain() -> Bool? {
        let now = ContinuousClock.now
        let isDue = logMode.withLock { mode in
            guard mode.isOff, mode.nextAttempt.map({ $0 <= now }) ?? true else { return false }
            mode.nextAttempt = now.advanced(by: .seconds(Self.attemptSeconds))
            return true
        }
        return isDue ? tryToSwitchLogOn() : nil
    }

    /// Whether the last check found the WAL off and could not switch it on.
    package var isLogOff: Bool { logMode.withLock { $0.isOff } }

    /// A notice that explains why a replica without a WAL is slow, with the cure.
    package var logOffNotice: String {
        "Another program has switched off the write-ahead log of \"\(path)\", and somebody has the file open. Close the other programs, so that Roost can switch it on: until then whoever reads keeps everybody else from writing."
    }

    /// Tries to switch the WAL on.
    ///
    /// - Returns: Whether the WAL is on; `nil` if the mode cannot be read.
    private func tryToSwitchLogOn() -> Bool? {
        let isOn = try? engine.writeWithoutTransaction { database in
            try engineWait.limited(to: Self.logOffMilliseconds) {
                guard try database.query("PRAGMA journal_mode").first({ $0.text(0) }) != "wal" else { return true }
                // The wait is short: another program may have the file open for hours.
                return (try? String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")) == "wal"
            }
        }
        logMode.withLock { $0.isOff = isOn.map { !$0 } ?? $0.isOff }
        // Waiting longer gains nothing if a reader stays.
        engineWait.limit(to: isLogOff ? Self.logOffMilliseconds : ReplicaFile.busySeconds * 1000)
        return isOn
    }
}

/// The state of a file's WAL.
struct LogMode {
    var isOff = false
    /// The time of the next attempt to switch the WAL on.
    var nextAttempt: ContinuousClock.Instant?
}
