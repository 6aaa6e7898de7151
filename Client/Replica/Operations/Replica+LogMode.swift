internal import GRDB
internal import Synchronization

extension Replica {
    /// How long an open file waits for other programs before it is used as they left it.
    static let openingMilliseconds = 2000
    /// How long the engine waits while the write-ahead log is off: whoever waits to commit keeps all readers out.
    private static let logOffMilliseconds = 500
    /// Seconds between two attempts to switch the log on.
    private static let attemptSeconds = 5

    /// Switches the file's write-ahead log on again, where another program has switched it off: without it, whoever reads keeps everybody
    /// else from writing.
    ///
    /// While somebody has the file open SQLite refuses; ``ReplicaStatus/isLogOff`` says so then, and sessions try again.
    package func switchLogOn() {
        let wasOff = logMode.withLock { $0.isOff }
        guard tryToSwitchLogOn() == false, !wasOff else { return }
        foundDamage.withLock { found in
            var damage = found ?? OutboxDamage()
            damage.notices.append(logOffNotice)
            found = damage
        }
    }

    /// Tries to switch the log on where an earlier attempt has failed, now and then.
    ///
    /// - Returns: Whether it is on now; `nil` where nothing was tried, or the log was not off.
    package func switchLogOnAgain() -> Bool? {
        let now = ContinuousClock.now
        let isDue = logMode.withLock { mode in
            guard mode.isOff, mode.nextAttempt.map({ $0 <= now }) ?? true else { return false }
            mode.nextAttempt = now.advanced(by: .seconds(Self.attemptSeconds))
            return true
        }
        return isDue ? tryToSwitchLogOn() : nil
    }

    /// Whether the write-ahead log was off when it was last looked for, and could not be switched on.
    package var isLogOff: Bool { logMode.withLock { $0.isOff } }

    /// The reason why a replica without a write-ahead log is slow, with the cure.
    package var logOffNotice: String {
        "Another program has switched off the write-ahead log of \"\(path)\", and somebody has the file open. Close the other programs, so that Roost can switch it on: until then whoever reads keeps everybody else from writing."
    }

    /// - Returns: Whether the log is on; `nil` where that cannot be read.
    private func tryToSwitchLogOn() -> Bool? {
        let isOn = try? engine.writeWithoutTransaction { database in
            try engineWait.limited(to: Self.logOffMilliseconds) {
                guard try database.query("PRAGMA journal_mode").first({ $0.text(0) }) != "wal" else { return true }
                // Not long: somebody may have the file open for hours.
                return (try? String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")) == "wal"
            }
        }
        logMode.withLock { $0.isOff = isOn.map { !$0 } ?? $0.isOff }
        // Nothing is gained by waiting for a reader that may stay.
        engineWait.limit(to: isLogOff ? Self.logOffMilliseconds : ReplicaFile.busySeconds * 1000)
        return isOn
    }
}

/// Whether a file has its write-ahead log.
struct LogMode {
    var isOff = false
    /// When to try again to switch it on.
    var nextAttempt: ContinuousClock.Instant?
}
