internal import GRDB
internal import RoostModel

/// What `roost_state` has of the looks at all contents.
struct ScrubState {
    let database: Database

    /// When all were last looked at, or written anew, in milliseconds since 1970; `nil` in a file that was never asked.
    var last: Int64? { get throws { try StateStore(database: database).integer(.scrubbed) } }

    /// Where the look that is under way goes on; `nil` where none is.
    var place: ScrubPlace? {
        get throws { try StateStore(database: database).bytes(.scrubPlace).flatMap { ScrubPlace(bytes: $0) } }
    }

    /// How many records were found damaged that are not written anew yet; 0 for none.
    var damaged: Int { get throws { Int(try StateStore(database: database).integer(.damaged) ?? 0) } }

    /// Whether each row without a waiting change has what is confirmed of its record, in a sound file: not so while pages are
    /// outstanding, of which the rows may have something already.
    var isComparable: Bool {
        get throws {
            let state = StateStore(database: database)
            guard try state.pullingAnew == nil, try state.integer(.behind) == nil else { return false }
            guard let ahead = try state.bytes(.aheadOf) else { return true }
            return try ahead != state.bytes(.checkpoint) ?? []
        }
    }

    func move(to place: ScrubPlace) throws { try StateStore(database: database).set(.scrubPlace, .bytes(place.bytes)) }

    /// All contents have been looked at, or written anew.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func finish(at now: Int64) throws {
        let state = StateStore(database: database)
        try state.set(.scrubbed, .integer(now))
        if try state.bytes(.scrubPlace) != nil { try state.set(.scrubPlace, .null) }
        if try state.integer(.damaged) != nil { try state.set(.damaged, .null) }
    }

    /// Has the next session pull everything anew.
    func note(damaged count: Int) throws {
        let state = StateStore(database: database)
        try state.set(.damaged, .integer(Int64(count)))
        try state.set(.scrubPlace, .null)
    }
}
