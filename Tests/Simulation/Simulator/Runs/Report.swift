/// The sum of many seeds, and whether they tried enough of everything: a run with too few faults proves nothing.
package struct Report: Hashable, Sendable {
    package let counts: Counts
    package let failures: Int
    package let seconds: Double
    /// Whether the simulated runs drew their faults. Otherwise there are no minimum counts.
    private let isWhole: Bool
    /// The kinds of foreign programs that every seed drew from; empty in ordinary seeds.
    private let kinds: [ForeignKind]

    package init(
        _ counts: Counts, failures: Int, seconds: Double, isWhole: Bool = true, foreign choice: ForeignChoice = .share
    ) {
        if case .every(let kinds) = choice { self.kinds = kinds } else { kinds = [] }
        self.counts = counts
        self.failures = failures
        self.seconds = seconds
        self.isWhole = isWhole
    }

    /// The minimum counts of a thousand seeds, on average.
    private static let floors: [(name: Counts.Name, perThousand: Int)] = [
        (.delayed, 1000), (.requestLost, 200), (.replyLost, 200), (.pushReplyLost, 100), (.duplicated, 200),
        (.reordered, 2000), (.replayed, 20), (.forged, 30), (.cut, 40), (.halfOpen, 50),
        (.processCrash, 80), (.powerLoss, 50), (.sectorsLost, 200), (.sectorsTorn, 50), (.crashInOpen, 30),
        (.serverProcessCrash, 10), (.serverPowerLoss, 10),
        (.diskFull, 50), (.diskFailure, 50), (.serverDiskFull, 10), (.serverDiskFailure, 3),
        (.clockJump, 100), (.clockAhead, 100), (.clockDrift, 500), (.serverClockJump, 100),
        (.otherProcessWrite, 500), (.plainSQLWrite, 500),
        (.schemaPublished, 50), (.textIdentifiers, 20), (.oldSchemaReplica, 1000), (.migrated, 40),
        (.unknownAttributes, 10),
        (.fileCopied, 30), (.replicaRestored, 10), (.serverRestored, 100), (.serverRestoredUnsaid, 30), (.recalled, 4),
        (.rollbackNoticed, 10), (.changesLost, 200), (.broughtBack, 100), (.renewed, 50),
        (.purges, 40), (.purged, 80), (.resync, 4), (.gone, 10), (.tooLarge, 100), (.devicesForgotten, 4),
        (.bodyRefused, 10), (.bodyTooSlow, 2), (.serverEmpty, 50), (.halfServerRefused, 20), (.transactionsDivided, 50),
        (.accepted, 10_000), (.transactions, 8000), (.pushes, 4000), (.pulls, 5000), (.sharedPages, 1000),
        (.prefetched, 3000), (.preconnected, 700), (.staged, 200), (.beaten, 1000), (.hidden, 250), (.refused, 30),
    ]

    /// The minimum counts that were not reached; empty below a hundred seeds.
    package var missed: [String] {
        let quiet = ForeignFloors.missed(counts, kinds)
        guard isWhole, counts[.seeds] >= 100, kinds.isEmpty else { return quiet }
        return quiet
            + Self.floors.compactMap { name, perThousand in
                let floor = perThousand * counts[.seeds] / 1000
                return counts[name] < floor ? "\(name.rawValue): \(counts[name]), at least \(floor) are asked for" : nil
            }
    }

    package var isGood: Bool { failures == 0 && missed.isEmpty && counts[.seeds] > 0 }

    package var text: String {
        let rounds = Double(counts[.roundsToConverge]) / Double(max(1, counts[.seeds]))
        let milliseconds = counts[.millisecondsToConverge] / max(1, counts[.seeds])
        var lines = ["\(counts[.seeds]) seeds in \(Int(seconds.rounded())) s, \(failures) failures"]
        lines.append(
            "convergence after healing: \(Int(rounds * 100)) rounds a hundred seeds, \(milliseconds) ms on average")
        let names = Counts.Name.allCases.filter { ![.seeds, .roundsToConverge, .millisecondsToConverge].contains($0) }
        lines += names.map { "  \($0.rawValue) \(counts[$0])" }
        lines += counts.foreign.sorted { $0.key < $1.key }.map { "  foreign \($0.key) \($0.value)" }
        lines += missed.map { "too quiet: \($0)" }
        return lines.joined(separator: "\n")
    }
}
