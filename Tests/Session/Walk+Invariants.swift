@testable import Session

extension Walk {
    var isUpToDate: Bool { if case .upToDate = session.status { true } else { false } }

    /// Changes that have not been acknowledged.
    var outboxCount: Int { unsealed + (sealed?.changes ?? 0) }

    /// Notes which of the invariants 4, 6, 10 and 11 does not hold; the others are noted where they break.
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

    /// Lets the session go on without faults until it ends or nothing but a long poll is left, or for `stepsMax` steps.
    mutating func heal(stepsMax: Int = 2000) {
        cureServer()
        wake()
        for _ in 0..<stepsMax where violations.isEmpty && session.outcome == nil && !isSettled {
            step()
            // Whoever drives the session wakes it now and then.
            if isBlocked { wake() }
            checkInvariants()
        }
    }

    private var isSettled: Bool {
        guard case .pull(waitSeconds: 1...) = underway[.pull] else { return false }
        return isUpToDate && outboxCount == 0 && serverAhead == 0
    }
}
