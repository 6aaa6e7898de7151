internal import Replica
internal import RoostModel
internal import Session

extension SyncReport {
    /// Counts what a page has changed.
    mutating func count(_ page: ApplyReport) {
        pulled += page.applied
        beaten += page.beaten
        hidden += page.hidden
        shown += page.shown
        forgotten += page.forgotten
        corrected += page.corrected
        if let reason = page.pulledAnew { notices.append(reason.words) }
        if page.journaled > 0 {
            notices.append(
                "\(page.journaled) changes that were made here are not on the server any more; the journal has them.")
        }
    }

    /// Counts what was found damaged while pending changes were sealed.
    mutating func count(_ damage: OutboxDamage) {
        refused += damage.refused
        notices += damage.notices
    }

    /// Records how the session ended.
    mutating func finish(_ outcome: SyncOutcome, digest: ScopeDigest?) {
        self.digest = digest
        (state, isUpToDate, isTemporary) =
            switch outcome {
            case .upToDate: ("up to date", true, false)
            case .blocked(let reason), .stopped(let reason): (reason.message, false, false)
            case .gaveUp(let reason): (reason.message, false, true)
            case .requested: ("stopped on request", false, true)
            }
        isRequested = outcome == .requested
    }

    /// Message of a session that has taken as long as it may.
    func timeIsOver(_ limit: Duration, _ state: SyncState) -> String {
        let waited =
            switch state {
            case .pushing: "the server has taken \(pushed) changes, and others wait"
            case .pulling: "the server has sent \(pulled) records that were new, and has more"
            case .offline(let reason, _, _), .waiting(let reason, _, _): "\(reason)"
            case .notRunning, .upToDate, .blocked, .stopped: "the server did not answer"
            }
        return
            "Not done after \(limit.components.seconds) s: \(waited). What was exchanged is kept; synchronise again to go on, "
            + "or give it longer with --time-limit."
    }
}
