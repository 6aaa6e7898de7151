/// The sum of many seeds, and whether they tried what they should: a run that was too quiet proves nothing.
package struct Report: Hashable, Sendable {
    package let counts: Counts
    package let failures: Int
    package let seconds: Double

    package init(_ counts: Counts, failures: Int, seconds: Double) {
        self.counts = counts
        self.failures = failures
        self.seconds = seconds
    }

    /// What each hundred seeds must have at least, on average.
    private static let floors: [(name: Counts.Name, perHundred: Int)] = [
        (.requestLost, 20), (.replyLost, 20), (.duplicated, 20), (.reordered, 200), (.replayed, 2), (.forged, 3),
        (.cut, 4),
        (.halfOpen, 5), (.processCrash, 8), (.powerLoss, 5), (.sectorsLost, 20), (.serverProcessCrash, 1),
        (.serverPowerLoss, 1), (.diskFailure, 10), (.serverDiskFailure, 3), (.clockJump, 10), (.clockAhead, 10),
        (.clockDrift, 50), (.otherProcessWrite, 50), (.plainSQLWrite, 50), (.schemaPublished, 5),
        (.oldSchemaReplica, 100), (.migrated, 4), (.unknownAttributes, 2), (.crashInOpen, 3), (.fileCopied, 3),
        (.replicaRestored, 1), (.serverRestored, 10),
        (.purges, 4), (.purged, 8), (.resync, 1), (.gone, 1), (.devicesForgotten, 1),
        (.changesLost, 20), (.broughtBack, 10), (.rollbackNoticed, 1), (.renewed, 5), (.accepted, 1000),
        (.transactions, 800), (.pushes, 400), (.pulls, 500), (.sharedPages, 100), (.readAhead, 20), (.staged, 20),
        (.beaten, 100), (.hidden, 25), (.refused, 3),
    ]

    /// Floors that were not reached; below a hundred seeds none is asked for.
    package var missed: [String] {
        guard counts[.seeds] >= 100 else { return [] }
        return Self.floors.compactMap { name, perHundred in
            let floor = perHundred * counts[.seeds] / 100
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
        lines += missed.map { "too quiet: \($0)" }
        return lines.joined(separator: "\n")
    }
}
