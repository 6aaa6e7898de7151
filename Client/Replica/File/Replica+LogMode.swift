internal import GRDB
internal import Synchronization

extension Replica {
    /// Switches the file's write-ahead log on again, where another program has switched it off: without it, whoever reads keeps everybody
    /// else from writing.
    ///
    /// While somebody has the file open SQLite refuses; ``ReplicaStatus/isLogOff`` says so then, and each session tries again.
    package func switchLogOn() {
        let isOn = try? engine.writeWithoutTransaction { database in
            guard try database.query("PRAGMA journal_mode").first({ $0.text(0) }) != "wal" else { return true }
            // Not long: somebody may have the file open for hours.
            try database.execute(sql: "PRAGMA busy_timeout = 1000")
            let isOn = (try? String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")) == "wal"
            // Nothing is gained by waiting for a reader that may stay.
            let seconds = isOn ? ReplicaFile.busySeconds : 2
            try database.executeOne("PRAGMA busy_timeout = \(seconds * 1000)")
            return isOn
        }
        guard isOn != true else { return }
        foundDamage.withLock { found in
            var damage = found ?? OutboxDamage()
            damage.notices.append(
                "Another program has switched off the write-ahead log of \"\(path)\", and somebody has the file open. Close the other programs, so that Roost can switch it on: until then whoever reads keeps everybody else from writing."
            )
            found = damage
        }
    }
}
