internal import GRDB
internal import RoostModel

/// What a replica says when it is asked to look at some of its contents.
package enum ScrubResult: Hashable, Sendable {
    /// Nothing to do: all was looked at, not long ago, and is sound.
    case sound
    /// What was looked at is sound, and there is more.
    case more
    /// Everything is to be pulled anew, which writes what is damaged from the server.
    case damaged
    /// A part of the file cannot be read, in words.
    case unreadable(String)
}

extension Replica {
    /// See ``ScrubState/intervalMilliseconds``.
    package static let scrubMilliseconds = ScrubState.intervalMilliseconds

    /// Looks at the next contents, if that is due: some 2 ms. It may stop at any time, and goes on where it stopped. Before the first of them
    /// SQLite looks at the whole file, which takes longer: see ``faults(atMost:)``.
    ///
    /// To be called when the replica is up to date with the server. A replica that was never asked begins after the first day:
    /// until then most of what it holds has just been written.
    ///
    /// - Throws: ``ReplicaError`` where the file cannot be read or written; where only contents cannot, that is the result.
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
            return try noteUnreadable(error, at: now)
        }
    }

    private func scrub(from place: ScrubPlace?, at now: Int64) throws -> ScrubResult {
        guard try engineLook("look at the state", { try ScrubState(database: $0).isComparable }) else { return .sound }
        // What SQLite finds its way by may be damaged where contents are whole. It cannot look at a table of another program's that needs
        // that program's own functions; nothing is known then.
        if place == nil, let fault = (try? faults(atMost: 1))?.first {
            throw ReplicaError(.corrupt, "A part of the file is damaged: \(fault).")
        }
        let slice = try look(from: place)
        // Another look may find nothing wrong any more.
        if !slice.isSound, try noteDamage(slice) != nil { return .damaged }
        if slice.next == nil { _ = try adoptStrays() }
        try writeScrub { state in
            if let next = slice.next { try state.move(to: next) } else { try state.finish(at: now) }
        }
        return slice.next == nil ? .sound : .more
    }

    func look(from place: ScrubPlace?) throws -> ContentScrub.Slice {
        try engineLook("check contents", isSnapshot: true) { database in
            try checkVersion(of: database)
            return try ContentScrub(database, layout).slice(from: place)
        }
    }

    /// - Returns: As ``ContentDamage/note(_:isKnown:)``.
    func noteDamage(_ slice: ContentScrub.Slice) throws -> [RecordKey]? {
        try engineWrite("write down what is damaged") { database in
            try ContentDamage(database: database, layout: layout, now: now).note(
                slice.damaged, isKnown: slice.isWrongAsAWhole)
        }
    }

    /// Says so, and does not try again before the next time.
    private func noteUnreadable(_ error: ReplicaError, at now: Int64) throws -> ScrubResult {
        try unsettledWrite("write down what is damaged", isWork: false) { database in
            try Journal(database: database, now: now).event("damage", error.message)
            try ScrubState(database: database).finish(at: now)
        }
        return .unreadable(error.message)
    }

    /// What is lost of it is only looked at once more.
    private func writeScrub(_ body: (ScrubState) throws -> Void) throws {
        try unsettledWrite("write down what was checked", isWork: false, isRepeatable: true) { database in
            try body(ScrubState(database: database))
        }
    }
}
