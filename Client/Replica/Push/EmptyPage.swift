internal import GRDB
internal import RoostModel

/// The last page of a pull that brings no records: it only moves the checkpoint. It usually comes with the reply to a push.
///
/// Plain path: ``Replica/apply(_:purged:since:checkpoint:serverTime:isLast:)`` after the reply. `KnownPushTests` compares the two.
package struct EmptyPage: Hashable, Sendable {
    /// The checkpoint that was sent to the server.
    package let since: [UInt8]
    package let checkpoint: [UInt8]
    /// Milliseconds since 1970.
    package let serverTime: UInt64

    package init(since: [UInt8], checkpoint: [UInt8], serverTime: UInt64) {
        self.since = since
        self.checkpoint = checkpoint
        self.serverTime = serverTime
    }

    /// Whether applying the page only moves the replica's checkpoint.
    func isSimple(_ before: ControlRow, _ database: Database) throws -> Bool {
        guard before.pullingAnew == nil, before.checkpoint == since else { return false }
        // Records that an index of the user's refuses are tried again with each page, and lost records are brought back after it.
        let isMore = try database.query(
            "SELECT EXISTS (SELECT 1 FROM roost_unfit) OR EXISTS (SELECT 1 FROM roost_lost)"
        ).first { $0.integer(0) != 0 }
        return isMore == false
    }

    /// Returns the values to set, apart from those of the contact with the server.
    func values(_ before: ControlRow) -> [(name: StateStore.Name, value: Value)] {
        var values: [(name: StateStore.Name, value: Value)] = [(.checkpoint, .data(checkpoint))]
        if before.behind != nil { values.append((.behind, .null)) }
        return values
    }

    /// Makes the report of the applied page.
    ///
    /// - Parameters:
    ///   - digest: The digest of the confirmed slots.
    ///   - now: Milliseconds since 1970.
    func report(_ before: ControlRow, _ digest: ScopeDigest, now: Int64) -> ApplyReport {
        var report = ApplyReport()
        report.isNoted = true
        report.isScrubDue = ScrubState.isDue(at: now, last: before.scrubbed)
        report.digest = digest
        return report
    }
}

/// The outcome of applying the reply to a push.
package struct Acknowledged: Hashable, Sendable {
    /// The number of changes of this device that are beaten, and of which the journal had no entry.
    package var beaten = 0
    /// The effects of the page that came with the reply, if it was applied as well.
    package var page: ApplyReport?
}
