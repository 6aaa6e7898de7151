internal import GRDB
internal import RoostModel

/// The state of scrubs, which check the content of all records, as a replica stores it.
struct ScrubState {
    /// The age of the last scrub at which the next one begins. It is half a day, so that a session that keeps running has
    /// finished the next scrub within a day. Untracked writes and corruption are found by then.
    static let intervalMilliseconds: Int64 = 43_200_000

    let database: Database

    /// The time of the last complete scrub or rewrite of all contents, in milliseconds since 1970. It is 0 where work is due
    /// regardless of the time, and `nil` in a file that has never been scrubbed.
    var last: Int64? { get throws { try StateStore(database: database).integer(.scrubbed) } }

    /// Whether a scrub is due in a replica that is up to date. The check reads one value, because every session makes it.
    func isDue(at now: Int64) throws -> Bool { Self.isDue(at: now, last: try last) }

    /// Whether a scrub is due, as it also is in a file that has never been scrubbed.
    ///
    /// - Parameter last: The value of ``last``.
    static func isDue(at now: Int64, last: Int64?) -> Bool {
        // A clock that was set back must not postpone the scrub.
        last.map { !(0..<intervalMilliseconds).contains(now - $0) } ?? true
    }

    /// The position of the scrub under way; `nil` where there is none.
    var place: ScrubProgress? {
        get throws { try StateStore(database: database).bytes(.scrubPlace).flatMap { ScrubProgress(bytes: $0) } }
    }

    /// The number of records that were found damaged and are not rewritten yet; 0 for none.
    var damaged: Int { get throws { Int(try StateStore(database: database).integer(.damaged) ?? 0) } }

    /// Whether a row that has no pending change, and differs from the confirmed content of its record, indicates corruption.
    /// While pages are outstanding, one of them may replace or rewrite the row.
    var isComparable: Bool {
        get throws {
            let state = StateStore(database: database)
            return try state.pullingAnew == nil && state.integer(.behind) == nil
        }
    }

    func move(to place: ScrubProgress) throws {
        try StateStore(database: database).set(.scrubPlace, .data(place.bytes))
    }

    /// Records that the content of all records has been checked.
    func finish(at now: Int64) throws {
        let state = StateStore(database: database)
        // Another program may have found corruption meanwhile.
        try state.set(.scrubbed, .integer(try damaged > 0 ? 0 : now))
        if try state.bytes(.scrubPlace) != nil { try state.set(.scrubPlace, .null) }
    }

    /// Records that the content of all records has been rewritten.
    func repaired(at now: Int64) throws {
        let state = StateStore(database: database)
        try state.set(.damaged, .null)
        if try state.integer(.salvaged) != nil { try state.set(.salvaged, .null) }
        try finish(at: now)
    }

    /// Records the number of damaged records, so that the next session resynchronises fully.
    func note(damaged count: Int) throws {
        let state = StateStore(database: database)
        try state.set(.damaged, .integer(Int64(count)))
        try state.set(.scrubPlace, .null)
        try state.set(.scrubbed, .integer(0))
    }
}
