internal import GRDB
internal import RoostModel

/// The result of checking some of a replica's contents.
package enum ScrubResult: Hashable, Sendable {
    /// No check is due: the last complete one is recent and found nothing wrong.
    case sound
    /// The checked contents are intact, and more remain.
    case more
    /// Contents are corrupt: a full resynchronisation rewrites them from the server.
    case damaged
    /// A part of the file cannot be read, with the error message.
    case unreadable(String)
}

extension Replica {
    /// The interval of complete checks (``ScrubState/intervalMilliseconds``).
    package static let scrubMilliseconds = ScrubState.intervalMilliseconds

    /// Checks the next contents if a check is due, for some 2 ms. It may be stopped at any time, and continues where it
    /// stopped. Before the first contents, SQLite checks the whole file, which takes longer: see ``faults(atMost:)``.
    ///
    /// Call it when the replica is up to date with the server. The first call on a new replica only starts the interval:
    /// most of its content has just been written.
    ///
    /// - Throws: ``ReplicaError`` if the file cannot be read or written. Unreadable contents are a result instead.
    package func scrub() throws -> ScrubResult {
        let now = now
        let (isNew, isDue, place, damaged) = try engineLook("see when contents were checked") { database in
            let state = ScrubState(database: database)
            return (try state.last == nil, try state.isDue(at: now), try state.place, try state.damaged)
        }
        if damaged > 0 { return .damaged }
        if isNew { try writeScrub { try $0.finish(at: now) } }
        guard isDue && !isNew || place != nil else { return .sound }
        do {
            return try scrub(from: place, at: now)
        } catch let error as ReplicaError where error.code == .corrupt {
            return try recordUnreadable(error, at: now)
        }
    }

    private func scrub(from place: ScrubProgress?, at now: Int64) throws -> ScrubResult {
        guard try engineLook("look at the state", { try ScrubState(database: $0).isComparable }) else { return .sound }
        // SQLite's indexes may be corrupt while contents are intact. SQLite cannot check a table that needs another
        // program's own functions; then nothing is known of it.
        if place == nil, let fault = (try? faults(atMost: 1))?.first {
            throw ReplicaError(.corrupt, "A part of the file is damaged: \(fault).")
        }
        let slice = try look(from: place)
        // A second check inside a transaction may find nothing wrong any more.
        if !slice.isSound, try recordDamage(slice) != nil { return .damaged }
        if slice.next == nil { _ = try adoptStrays() }
        try writeScrub { state in
            if let next = slice.next { try state.move(to: next) } else { try state.finish(at: now) }
        }
        return slice.next == nil ? .sound : .more
    }

    func look(from place: ScrubProgress?) throws -> ContentScrub.Slice {
        try engineLook("check contents", isSnapshot: true) { database in
            try checkVersion(of: database)
            return try ContentScrub(database, layout).slice(from: place)
        }
    }

    /// - Returns: The corrupt records, as ``ContentDamage/note(_:isKnown:)`` returns them.
    func recordDamage(_ slice: ContentScrub.Slice) throws -> [RecordKey]? {
        try engineWrite("write down what is damaged") { database in
            try ContentDamage(database: database, layout: layout, now: now).note(
                slice.damaged, isKnown: slice.isWrongAsAWhole)
        }
    }

    /// Logs an unreadable part of the file, and schedules the next check as after a complete one.
    private func recordUnreadable(_ error: ReplicaError, at now: Int64) throws -> ScrubResult {
        try unsettledWrite("write down what is damaged", isWork: false) { database in
            try Journal(database: database, now: now).event("damage", error.message)
            try ScrubState(database: database).finish(at: now)
        }
        return .unreadable(error.message)
    }

    /// Losing this write in a power failure only repeats a check.
    private func writeScrub(_ body: (ScrubState) throws -> Void) throws {
        try unsettledWrite("write down what was checked", isWork: false, isRepeatable: true) { database in
            try body(ScrubState(database: database))
        }
    }
}
