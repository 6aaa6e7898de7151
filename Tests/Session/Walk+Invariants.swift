@testable import Session

extension Walk {
    var isUpToDate: Bool { if case .upToDate = session.status { true } else { false } }

    /// Number of changes that are not acknowledged.
    var outboxCount: Int { unsealed + (sealed?.changes ?? 0) }

    /// Records violations of the invariants 4, 6, 10 and 11. Violations of the others are recorded where they occur.
    mutating func checkInvariants() {
        guard session.outcome == nil else { return }
        if underway.isEmpty, session.deadline == nil { violations.append("4: nothing under way and no deadline") }
        if isUpToDate {
            if outboxCount > 0, !isBlocked { violations.append("6: up to date with \(outboxCount) changes waiting") }
            if underway[.push] != nil { violations.append("6: up to date while pushing") }
        }
        if case .pull(waitSeconds: 1...) = underway[.pull], isKnownEmpty, !isCompared {
            violations.append("10: a long poll, and nothing was compared")
        }
        if case .pull(waitSeconds: 1...) = underway[.pull], isKnownEmpty, isGone {
            violations.append("11: a long poll after a checkpoint that is gone")
        }
    }

    var isBlocked: Bool { if case .blocked = session.status { true } else { false } }

    /// Continues without faults until the session ends or only a long poll is left, or for `stepsMax` steps.
    mutating func heal(stepsMax: Int = 2000) {
        cureServer()
        wake()
        for _ in 0..<stepsMax where violations.isEmpty && session.outcome == nil && !isSettled {
            step()
            // The owner of a driver wakes the session now and then.
            if isBlocked { wake() }
            checkInvariants()
        }
    }

    private var isSettled: Bool {
        guard case .pull(waitSeconds: 1...) = underway[.pull] else { return false }
        return isUpToDate && outboxCount == 0 && serverAhead == 0
    }
}
