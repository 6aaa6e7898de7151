internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

// MARK: Push

extension SyncDriver {
    mutating func sealPush(at now: Moment) throws -> SyncAction {
        guard try seal() != .leftParts else { return session.leftParts(at: now) }
        push.keepCheckpoint()
        return session.sealed(push.sealed?.number, isLast: push.sealed?.isLast ?? false, at: now)
    }

    @discardableResult
    private mutating func seal() throws -> Sealed {
        var damage: OutboxDamage?
        let reason = changes.consumeReason()
        let result = try replica.sealPushes(limits: pushLimits, after: reason, seen: &changes.seen) { damage = $0 }
        push.seal(result.push)
        if reason == .look { try joinSmallPushes() }
        note(damage)
        return result
    }

    /// Makes the request that opens the connection for a push that is not sealed yet.
    mutating func requestToConnect() throws -> Request {
        pull.askWithPush(from: try replica.startOfPull())
        return .connect(since: pull.start.checkpoint)
    }

    mutating func requestToPush(_ number: UInt64, pulls: Bool, isPreconnected: Bool) throws -> Request {
        let checkpoint = push.consumeCheckpoint()
        // After a restart, the sealed push is read from the file.
        if push.sealed == nil { try seal() }
        guard let sealed = push.sealed, sealed.number == number else { throw ReplicaError(sealedPushIsGone: number) }
        advancePush()
        if uplink.needsReply(to: number) { return .pushReply(number: number, hash: SHA256Digest.of(sealed.body)) }
        guard pulls else { return .push(sealed.body) }
        if !isPreconnected {
            pull.askWithPush(from: try checkpoint.map { .checkpoint($0) } ?? replica.startOfPull())
        }
        return .pushAndPull(sealed.body, since: pull.start.checkpoint, isPreconnected: isPreconnected)
    }

    mutating func acknowledge(appliesPage: Bool, at now: Moment) throws -> SyncAction {
        var applied: ApplyReport?
        if let reply = push.reply, let number = push.sealed?.number {
            let isContact = contact.isWell
            let done = try replica.acknowledge(
                number, reply.results, current: reply.current, isWhole: limits.isComplete(reply.current),
                isContact: isContact, with: appliesPage ? pull.emptyPage : nil)
            report.beaten += done.beaten
            applied = done.page
            contact.isNoted = isContact
            if reply.results.contains(where: { if case .refused = $0 { true } else { false } }) { recordCheckpoint() }
            names.note(reply.current, replica)
            try push.count(in: &report)
        }
        push.acknowledge()
        pull.replyAcknowledged(step: push.steps)
        return session.acknowledged(applied: applied.flatMap { judgePage(after: $0, at: now) }, at: now)
    }

    /// Compares the digests after a page that the reply's transaction has applied.
    ///
    /// - Returns: `nil` after a failure. The reply is stored all the same, so the failure is that of the pull lane, which applies the page.
    private mutating func judgePage(after result: ApplyReport, at now: Moment) -> DigestCheck? {
        guard let page = pull.page else { return nil }
        do {
            let check = try judge(result, of: page, at: now)
            pull.drop()
            reportFoundChanges()
            return check
        } catch {
            pull.failure = error
            return nil
        }
    }

    mutating func restamp(_ serverTime: UInt64, at now: Moment) throws -> SyncAction {
        try replica.restamp(serverTime: serverTime)
        push.seal(nil)
        return session.restamped(at: now)
    }

    mutating func requestToRenew(_ cause: RenewalCause) throws -> Request {
        tokens.cause = cause
        if cause == .forgotten, let question = tokens.question { return question }
        return .renew(reason: cause.words, nonce: try replica.renewalNonce(fresh: freshNonce))
    }

    mutating func divide(_ number: UInt64, isTooLarge: Bool, at now: Moment) throws -> SyncAction {
        let isSmaller = try replica.dividePush(number, isTooLarge: isTooLarge)
        if isSmaller { push.seal(nil) }
        return session.divided(isSmaller, at: now)
    }

    mutating func setAside(_ number: UInt64, _ reason: String, at now: Moment) throws -> SyncAction {
        let changes = try replica.setAside(number, reason: reason)
        push.seal(nil)
        recordCheckpoint()
        report.refused += changes
        report.notices.append("A transaction of \(changes) changes was set aside: \(reason)")
        return session.wasSetAside(at: now)
    }

    /// Records the progress of a push, which a page may overlap.
    mutating func advancePush() {
        push.advance()
        pull.pushChanged()
    }

    /// Adds damage that was found while pending changes were sealed to the report.
    mutating func note(_ damage: OutboxDamage?) {
        guard let damage else { return }
        report.count(damage)
        // Records may have gone back to their confirmed state, and have to be pulled again.
        push.advance()
        recordCheckpoint()
    }

    /// Notifies the session where the replica has discarded its checkpoint: changes were refused or corrupt, of records of which the
    /// replica has only the stamps otherwise.
    private mutating func recordCheckpoint() {
        if (try? replica.checkpoint()) == nil { session.checkpointGone() }
    }
}

// MARK: Pull

extension SyncDriver {
    mutating func requestToPull(waitSeconds: Int) throws -> Request {
        let isQuiet = try replica.sealedPushNumber() == nil
        pull.ask(from: try replica.startOfPull(), step: push.steps, isQuiet: isQuiet)
        return .pull(since: pull.start.checkpoint, waitSeconds: waitSeconds)
    }

    /// Makes the request for the page after the one that is about to be applied.
    mutating func requestToPrefetch() throws -> Request? {
        let isQuiet = try replica.sealedPushNumber() == nil
        return pull.askAhead(step: push.steps, isQuiet: isQuiet).map { .pullAhead(since: $0) }
    }

    mutating func requestSchema(_ version: Int) -> Request {
        pull.schemaVersion = version
        return .schema
    }

    mutating func applyPage(at now: Moment) throws -> SyncAction {
        guard let check = try check(at: now) else { return session.superseded(at: now) }
        pull.pageIsApplied()
        reportFoundChanges()
        return session.applied(check, at: now)
    }

    /// Reports changes that Roost found while it applied a page. They are pushed like those that a program writes.
    private mutating func reportFoundChanges() {
        guard replica.consumeFoundChanges() else { return }
        changes.isReported = true
        session.changesFound()
    }

    /// Applies the page in flight, and compares the digests.
    ///
    /// - Returns: `nil` where the page cannot be applied, and has to be requested again.
    private mutating func check(at now: Moment) throws -> DigestCheck? {
        guard let page = try pull.consumePage() else { return nil }
        guard !pull.isSuperseded(page, step: push.steps, isPushUnheard: session.isPushUnheard) else { return nil }
        let result = try pull.apply(page, to: replica)
        guard !result.isOvertaken else { return nil }
        return try judge(result, of: page, at: now)
    }

    /// Reports what a page has changed, and compares the digests.
    private mutating func judge(_ result: ApplyReport, of page: PullReply, at now: Moment) throws -> DigestCheck {
        if !page.hasMore {
            let removed = try upkeep.shortenJournal(of: replica, at: page.serverTime)
            if removed > 0 { report.notices.append("\(removed) old entries of the journal were removed.") }
        }
        report.count(result)
        contact.isNoted = result.isNoted
        if result.applied > 0 { names.note(page.records, replica) }
        // The content of a row that differed from the server's may be an edit that no trigger saw, and is pending then.
        if result.pulledAnew == .damaged { replica.recordFoundChanges() }
        if result.lost > 0 { return .serverLost }
        guard let digest = page.digest, pull.isComparable(step: push.steps) else { return .notCompared }
        guard digest == result.digest else { return .differs }
        guard result.isScrubDue else { return .matches }
        return try upkeep.findsDamage(in: replica, at: now) ? .damaged : .matches
    }

    mutating func resynchronise(_ reason: PullAnewReason, at now: Moment) throws -> SyncAction {
        try replica.pullAnew(reason)
        return session.resynchronised(at: now)
    }

    mutating func recover(at now: Moment) throws -> Step {
        pull.recovering = try replica.nextLost(limit: limits.recordsPerRecover, bytesMax: pushLimits.bytesPerPush)
        guard !pull.recovering.isEmpty else { return .next(session.recovered(hasMore: false, at: now)) }
        return .order(.recover(pull.recovering))
    }

    mutating func giveUp(mayWrite: Bool, at now: Moment) throws -> SyncAction {
        let (journaled, renewed) = try replica.giveUpLost(mayWrite: mayWrite)
        report.lost += journaled
        report.notices.append(
            "The server was restored from an older copy and takes nothing back: \(renewed) records of this device are "
                + "sent anew, \(journaled) changes are in the journal.")
        return session.gaveUp(at: now)
    }
}
