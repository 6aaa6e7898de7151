internal import Replica
internal import RoostModel
internal import Session

extension SyncReport {
    /// Counts the effects of a page.
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

    /// Counts the corruption that was found while pending changes were sealed.
    mutating func count(_ damage: OutboxDamage) {
        refused += damage.refused
        notices += damage.notices
    }

    /// Records the end of the session.
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

    /// Makes the message of a session that has exceeded its time.
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
