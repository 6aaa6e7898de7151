internal import Replica
internal import Session

/// The report of a session, and the state that people see.
extension SyncDriver {
    mutating func finish(_ outcome: SyncOutcome) {
        report.digest = try? replica.digest()
        (report.state, report.isUpToDate, report.isTemporary) =
            switch outcome {
            case .upToDate: ("up to date", true, false)
            case .blocked(let reason), .stopped(let reason): (reason.message, false, false)
            case .gaveUp(let reason): (reason.message, false, true)
            case .requested: ("stopped on request", false, true)
            }
        report.isRequested = outcome == .requested
    }

    /// Ends a session that runs once and has taken as long as it may.
    mutating func timeIsOver(_ limit: Duration, at now: Moment) {
        let waited =
            switch session.status {
            case .pushing: "the server has taken \(report.pushed) changes, and others wait"
            case .pulling: "the server has sent \(report.pulled) records that were new, and has more"
            case .offline(let reason, _, _), .waiting(let reason, _, _): "\(reason)"
            case .notRunning, .upToDate, .blocked, .stopped: "the server did not answer"
            }
        let message =
            "Not done after \(limit.components.seconds) s: \(waited). What was exchanged is kept; synchronise again to go on, "
            + "or give it longer with --time-limit."
        _ = perform(session.timeIsOver(message, at: now), at: now)
    }

    mutating func publish(at now: Moment) {
        let status = session.status
        guard status != published else { return }
        published = status
        let isWaiting = if case .upToDate = status { outcome == nil } else { false }
        replica.sealWrites(within: isWaiting ? pushLimits : nil)
        observe(status)
        let wall = wallClock()
        func time(_ moment: Moment?) -> Int64? { moment.map { wall + $0.milliseconds - now.milliseconds } }
        switch status {
        case .notRunning, .pushing, .pulling: break
        case .upToDate:
            if !hasNoted { try? replica.noteContact(failure: nil, nextAttempt: nil) }
            hasNoted = false
        case .offline(let reason, let retry, _), .waiting(let reason, let retry, _):
            try? replica.noteContact(failure: reason.message, nextAttempt: time(retry))
            hasNoted = false
        case .blocked(let reason, _), .stopped(let reason, _):
            try? replica.noteContact(failure: reason.message, nextAttempt: nil)
            hasNoted = false
        }
    }

    /// Whether there is nothing to push or to pull, as far as is known, or nothing can be done about it now.
    package var isAtRest: Bool { ![.pushing, .pulling, .notRunning].contains(session.status) }

    /// Refused or damaged changes of records that are known otherwise only by their stamps may have given the checkpoint up.
    mutating func noteCheckpoint() {
        if (try? replica.checkpoint()) == nil { session.checkpointGone() }
    }
}
