@testable import Session

extension Walk {
    var isUpToDate: Bool { if case .upToDate = session.status { true } else { false } }

    /// Changes that have not been acknowledged.
    var outboxCount: Int { unsealed + (sealed?.changes ?? 0) }

    /// Notes which of the invariants 4, 6 and 10 does not hold; the others are noted where they break.
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
    }

    var isBlocked: Bool { if case .blocked = session.status { true } else { false } }

    /// Lets the session go on without faults until nothing but a long poll is left, or for `stepsMax` steps.
    mutating func heal(stepsMax: Int = 2000) {
        hasFaults = false
        wake()
        for _ in 0..<stepsMax where violations.isEmpty && session.outcome == nil && !isSettled {
            step()
            checkInvariants()
        }
    }

    private var isSettled: Bool { isUpToDate && outboxCount == 0 && serverAhead == 0 }
}
