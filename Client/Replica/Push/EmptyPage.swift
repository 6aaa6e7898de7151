internal import GRDB
internal import RoostModel

/// The last page of a pull where it brings no records: it says how far the replica has come, as a rule with the reply to a push.
package struct EmptyPage: Hashable, Sendable {
    /// What the server was told the replica stands at.
    package let since: [UInt8]
    package let checkpoint: [UInt8]
    /// Milliseconds since 1970.
    package let serverTime: UInt64

    package init(since: [UInt8], checkpoint: [UInt8], serverTime: UInt64) {
        self.since = since
        self.checkpoint = checkpoint
        self.serverTime = serverTime
    }

    /// The values of the replica's state that taking it in needs.
    static let stateNames: [StateStore.Name] = [.pullingAnew, .damaged, .checkpoint, .behind, .scrubbed]

    /// Whether nothing is to be done for it but to write down where the replica stands.
    ///
    /// - Parameter before: With the values of ``stateNames``.
    func isSimple(_ before: StateSnapshot, _ database: Database) throws -> Bool {
        guard try before.pullingAnew == nil, before.bytes(.checkpoint) == since else { return false }
        // What an index of the user's refuses is tried again with each page; what was lost is brought back after it.
        let isMore = try database.query(
            "SELECT EXISTS (SELECT 1 FROM roost_unfit) OR EXISTS (SELECT 1 FROM roost_lost)"
        ).first { $0.integer(0) != 0 }
        return isMore == false
    }

    /// What is to be set, beside the contact with the server.
    func values(_ before: StateSnapshot) -> [(name: StateStore.Name, value: Value)] {
        var values: [(name: StateStore.Name, value: Value)] = [(.checkpoint, .bytes(checkpoint))]
        if before.integer(.behind) != nil { values.append((.behind, .null)) }
        return values
    }

    /// - Parameters:
    ///   - digest: That of the confirmed slots.
    ///   - now: Milliseconds since 1970.
    func report(_ before: StateSnapshot, _ digest: ScopeDigest, now: Int64) -> ApplyReport {
        var report = ApplyReport()
        report.isNoted = true
        report.isScrubDue = ScrubState.isDue(at: now, last: before.integer(.scrubbed))
        report.digest = digest
        return report
    }
}

/// What came of taking in the reply to a push.
package struct Acknowledged: Hashable, Sendable {
    /// How many changes of this device the server's slots of refused records were found to beat.
    package var beaten = 0
    /// What the page did that came with it, where that was taken in too.
    package var page: ApplyReport?
}
