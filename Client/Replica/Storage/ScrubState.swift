internal import GRDB
internal import RoostModel

/// What the replica's state has of the looks at all contents.
struct ScrubState {
    /// How old a comparison of all contents may be until the next begins: half a day, so that a session that goes on has ended the next
    /// one within a day. What another program wrote past the triggers, and damage, is found by then.
    static let intervalMilliseconds: Int64 = 43_200_000

    let database: Database

    /// When all were last looked at, or written anew, in milliseconds since 1970: 0 where something is to be done all the same, `nil` in a
    /// file that was never asked.
    var last: Int64? { get throws { try StateStore(database: database).integer(.scrubbed) } }

    /// Whether a replica that is up to date has anything to do. It takes one value to know: every session asks.
    func isDue(at now: Int64) throws -> Bool { Self.isDue(at: now, last: try last) }

    /// - Parameter last: What ``last`` is.
    static func isDue(at now: Int64, last: Int64?) -> Bool {
        // A clock that was set back must not put it off.
        last.map { !(0..<intervalMilliseconds).contains(now - $0) } ?? true
    }

    /// Where the look that is under way goes on; `nil` where none is.
    var place: ScrubPlace? {
        get throws { try StateStore(database: database).bytes(.scrubPlace).flatMap { ScrubPlace(bytes: $0) } }
    }

    /// How many records were found damaged that are not written anew yet; 0 for none.
    var damaged: Int { get throws { Int(try StateStore(database: database).integer(.damaged) ?? 0) } }

    /// Whether a row without a waiting change that has another content than is confirmed of its record says that the file is damaged. While
    /// pages are outstanding they may take its place, or are to write it anew.
    var isComparable: Bool {
        get throws {
            let state = StateStore(database: database)
            return try state.pullingAnew == nil && state.integer(.behind) == nil
        }
    }

    func move(to place: ScrubPlace) throws { try StateStore(database: database).set(.scrubPlace, .bytes(place.bytes)) }

    /// All contents have been looked at.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func finish(at now: Int64) throws {
        let state = StateStore(database: database)
        // Another program may have found damage meanwhile.
        try state.set(.scrubbed, .integer(try damaged > 0 ? 0 : now))
        if try state.bytes(.scrubPlace) != nil { try state.set(.scrubPlace, .null) }
    }

    /// All contents have been written anew.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func repaired(at now: Int64) throws {
        let state = StateStore(database: database)
        try state.set(.damaged, .null)
        if try state.integer(.salvaged) != nil { try state.set(.salvaged, .null) }
        try finish(at: now)
    }

    /// Has the next session pull everything anew.
    func note(damaged count: Int) throws {
        let state = StateStore(database: database)
        try state.set(.damaged, .integer(Int64(count)))
        try state.set(.scrubPlace, .null)
        try state.set(.scrubbed, .integer(0))
    }
}
