/// The counts of a simulated run, by name: faults that took effect, and traffic.
package struct Counts: Hashable, Sendable {
    /// The names of the counts.
    package enum Name: String, Hashable, Sendable, CaseIterable, CodingKeyRepresentable, Codable {
        // Faults.
        case delayed, requestLost, replyLost, pushReplyLost, duplicated, reordered, replayed, cut, halfOpen
        case processCrash, powerLoss, sectorsLost, sectorsTorn, serverProcessCrash, serverPowerLoss, crashInOpen
        case diskFull, diskFailure, serverDiskFull, serverDiskFailure
        case clockJump, clockAhead, clockDrift, serverClockJump
        case otherProcessWrite, plainSQLWrite, foreignSeeds
        case schemaPublished, oldSchemaReplica, migrated, unknownAttributes, textIdentifiers
        case fileCopied, replicaRestored, serverRestored, serverRestoredUnsaid, olderBackupRestored, recalled, renewed,
            forged
        case purges, purged, notPurged, resync, gone, tooLarge
        case bodyRefused, bodyTooSlow, serverEmpty, halfServerRefused, transactionsDivided
        case readingAccepted, stampedAtBound, pushedBesideBound
        case changesLost, broughtBack, rollbackNoticed, devicesForgotten, rejoined
        // Traffic.
        case seeds, steps, events, checks
        case transactions, denied, written, accepted, refused, beaten, hidden, lost
        case pushes, pulls, pages, sharedPages, prefetched, preconnected, staged, sessions
        case roundsToConverge, millisecondsToConverge
    }

    package private(set) var values: [Name: Int] = [:]

    /// Operations of foreign programs, by kind and name.
    package var foreign: [String: Int] = [:]

    package init() {}

    package subscript(_ name: Name) -> Int {
        get { values[name] ?? 0 }
        set { values[name] = newValue }
    }

    mutating func add(_ losses: SimulatedDisk.Losses) {
        self[.sectorsLost] += losses.lost
        self[.sectorsTorn] += losses.torn
    }

    package mutating func add(_ other: Counts) {
        for (name, value) in other.values { values[name, default: 0] += value }
        for (name, value) in other.foreign { foreign[name, default: 0] += value }
    }
}
