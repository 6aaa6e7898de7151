import RoostProtocol
import Testing

@testable import Session

/// Effects of one lane's trouble on the other: stories in which a wait has to end.
extension SyncSessionTests {
    /// The pull would wait for an answer to a push that is not sent any more.
    @Test func pushThatIsDoubtedDoesNotLetAPullWaitForIt() throws {
        var session = SyncSession.sending(at: now)
        var time = now
        let fault = SyncFailure.refused(ProtocolError(.internalError, "fault", retryAfter: 1))
        #expect(session.failed(.push, fault, at: time) == .pull(waitSeconds: 0))
        for _ in 0..<2 {
            time = try #require(session.deadline)
            #expect(session.timerFired(at: time) == .sendPush(number: 7))
            #expect(session.failed(.push, fault, at: time) == .wait)
        }
        #expect(session.failed(.pull, sentBack, at: time) == .wait)
        time = try #require(session.deadline)
        #expect(session.timerFired(at: time) == .divide(number: 7, isTooLarge: false))
        #expect(session.divided(false, at: time) == .pull(waitSeconds: 0))
        _ = session.failed(.pull, sentBack, at: time)
        _ = session.resynchronised(at: time)
        _ = session.pulled(emptyPage, at: time)
        guard case .waiting = session.status else {
            Issue.record("\(session.status): one transaction waits")
            return
        }
        guard case .setAside = session.applied(.matches, at: time) else {
            Issue.record("\(session)")
            return
        }
    }

    /// A page has beaten all changes of the push: there is nothing to seal any more, and no answer for the pull to wait for.
    @Test(arguments: [true, false])
    func pullDoesNotWaitForAPushThatIsDivided(isSmaller: Bool) throws {
        var session = SyncSession.sending(at: now)
        var time = now
        let fault = SyncFailure.refused(ProtocolError(.internalError, "fault", retryAfter: 1))
        if !isSmaller {
            // A transaction was set aside over a fault, so the next one over a fault is blocked.
            setAside(&session, fault, &time)
            #expect(session.sealed(8, at: time) == .sendPush(number: 8))
        }
        _ = session.failed(.push, fault, at: time)
        for _ in 0..<2 {
            time = try #require(session.deadline)
            _ = session.timerFired(at: time)
            _ = session.failed(.push, fault, at: time)
        }
        _ = session.failed(.pull, sentBack, at: time)
        time = try #require(session.deadline)
        #expect(session.timerFired(at: time) == .divide(number: isSmaller ? 7 : 8, isTooLarge: false))
        let next = session.divided(isSmaller, at: time)
        if isSmaller {
            #expect(next == .sealPush())
            #expect(session.sealed(nil, at: time) == .pull(waitSeconds: 0))
        } else {
            #expect(next == .pull(waitSeconds: 0))
        }
    }

    /// Lets the server fail over the push under way until the push is set aside.
    private func setAside(_ session: inout SyncSession, _ fault: SyncFailure, _ time: inout Moment) {
        _ = session.failed(.push, fault, at: time)
        for _ in 0..<2 {
            time = session.deadline ?? time
            _ = session.timerFired(at: time)
            _ = session.failed(.push, fault, at: time)
        }
        time = session.deadline ?? time
        _ = session.timerFired(at: time)
        _ = session.divided(false, at: time)
        _ = session.pulled(emptyPage, at: time)
        _ = session.applied(.matches, at: time)
        #expect(session.wasSetAside(at: time) == .sealPush())
    }

    /// A server that accepts each first push and refuses the next one is not asked for identities forever.
    @Test func newIdentitiesOfADayAreCounted() throws {
        var session = SyncSession(.once(attemptsMax: 1000), seed: 1)
        var action = session.started(.sealed(number: 1), schemaVersion: 1, at: now)
        var renewals = 0
        var number: UInt64 = 1
        while renewals < 100, session.outcome == nil {
            switch action {
            case .sendPush(1, _, _) where renewals > 0:
                _ = session.pushReplied(to: 1, at: now)
                number = 2
                action = session.acknowledged(at: now)
            case .sendPush: action = session.failed(.push, .refused(ProtocolError(.stampsNotIncreasing, "No")), at: now)
            case .renew:
                renewals += 1
                number = 1
                action = session.renewed(at: now)
            case .sealPush: action = session.sealed(number, at: now)
            default:
                Issue.record("\(action)")
                return
            }
        }
        #expect(renewals == 10)
        guard case .stopped = session.outcome else {
            Issue.record("\(session)")
            return
        }
    }

    @Test func doubtedPushDoesNotWaitForALongPoll() throws {
        var session = SyncSession.polling(at: now)
        var time = now
        let fault = SyncFailure.refused(ProtocolError(.internalError, "fault", retryAfter: 1))
        _ = session.localChange(at: time)
        _ = session.sealed(1, at: time)
        for _ in 0..<3 {
            _ = session.failed(.push, fault, at: time)
            time = try #require(session.deadline)
            _ = session.timerFired(at: time)
        }
        #expect(session.divided(false, at: time) == .pull(waitSeconds: 0))
    }

    /// Otherwise sessions that run once would be stuck behind one transaction forever.
    @Test func onceItDividesAPushBeforeItGivesUp() throws {
        var session = SyncSession(.once(attemptsMax: 3), seed: 1)
        _ = session.started(.sealed(number: 7), schemaVersion: 1, at: now)
        let fault = SyncFailure.refused(ProtocolError(.internalError, "fault", retryAfter: 1))
        _ = session.failed(.push, fault, at: now)
        _ = session.pulled(emptyPage, at: now)
        _ = session.applied(.notCompared, at: now)
        var time = now
        for _ in 0..<2 {
            time = try #require(session.deadline)
            #expect(session.timerFired(at: time) == .sendPush(number: 7))
            #expect(session.failed(.push, fault, at: time) == .wait)
        }
        time = try #require(session.deadline)
        #expect(session.timerFired(at: time) == .divide(number: 7, isTooLarge: false))
    }

    @Test func whatIsSetAsideWithItsCheckpointIsPulledBeforeTheEnd() {
        var session = SyncSession(.once(attemptsMax: 3), seed: 1)
        _ = session.started(.sealed(number: 7), schemaVersion: 1, at: now)
        let refusal = SyncFailure.refused(ProtocolError(.tooLarge, "too large"))
        #expect(session.failed(.push, refusal, at: now) == .divide(number: 7, isTooLarge: true))
        #expect(session.divided(false, at: now) == .pull(waitSeconds: 0))
        _ = session.pulled(emptyPage, at: now)
        guard case .setAside = session.applied(.notCompared, at: now) else {
            Issue.record("\(session)")
            return
        }
        session.checkpointGone()
        #expect(session.wasSetAside(at: now) == .sealPush())
        #expect(session.sealed(nil, at: now) == .pull(waitSeconds: 0))
        _ = session.pulled(lastPage, at: now)
        #expect(session.applied(.matches, at: now) == .finish(.upToDate))
    }

    @Test func pullThatIsDueComesAfterEverySixteenPushes() throws {
        var session = SyncSession.polling(at: now)
        _ = session.localChange(at: now)
        _ = session.sealed(1, at: now)
        _ = session.failed(.pull, .refused(ProtocolError(.internalError, "fault", retryAfter: 0)), at: now)
        let later = now.advanced(by: .seconds(60))
        var pulls: [UInt64] = []
        for number: UInt64 in 1..<50 {
            _ = session.pushReplied(to: number, at: later)
            var action = session.acknowledged(at: later)
            if action == .pull(waitSeconds: 0) {
                pulls.append(number)
                #expect(session.localChange(at: later) == .wait)
                _ = session.pulled(lastPage, at: later)
                action = session.applied(.notCompared, at: later)
            }
            #expect(action == .sealPush())
            _ = session.sealed(number + 1, at: later)
        }
        #expect(pulls == [16, 32, 48])
    }

    /// The last page does not include the last push, nor changes of other devices since.
    @Test func onceItPullsAfterTheLastPush() throws {
        var session = SyncSession(.once(attemptsMax: 3), seed: 1)
        _ = session.started(.sealed(number: 1), schemaVersion: 1, at: now)
        for number: UInt64 in 1..<40 {
            _ = session.pushReplied(to: number, at: now)
            #expect(session.acknowledged(at: now) == .sealPush())
            _ = session.sealed(number + 1, at: now)
        }
        _ = session.failed(.push, down, at: now)
        _ = session.pulled(lastPage, at: now)
        #expect(session.applied(.notCompared, at: now) == .wait)
        let later = now.advanced(by: .seconds(60))
        _ = session.timerFired(at: later)
        _ = session.pushReplied(to: 40, at: later)
        _ = session.acknowledged(at: later)
        #expect(session.sealed(nil, at: later) == .pull(waitSeconds: 0))
        _ = session.pulled(lastPage, at: later)
        #expect(session.applied(.matches, at: later) == .finish(.upToDate))
    }

    /// Pages succeed in between, and do not reset the row of failures.
    @Test func whatTheServerDoesNotTakeBackIsTriedLessAndLess() throws {
        var session = SyncSession(.once(attemptsMax: 3), seed: 1)
        _ = session.started(.empty, schemaVersion: 1, at: now)
        var time = now
        for attempt in 1...3 {
            _ = session.pulled(emptyPage, at: time)
            #expect(session.applied(.serverLost, at: time) == .recover)
            let action = session.failed(.pull, down, at: time)
            #expect((action == .wait) == (attempt < 3))
            guard attempt < 3 else { break }
            time = try #require(session.deadline)
            #expect(session.timerFired(at: time) == .pull(waitSeconds: 0))
        }
        guard case .gaveUp = session.outcome else {
            Issue.record("\(session)")
            return
        }
    }

    @Test func pushThatIsDueStartsAfterAPageWithOthersBehindIt() throws {
        var session = SyncSession(.continuous(waitSeconds: 55), seed: 1)
        _ = session.started(.empty, schemaVersion: 1, at: now)
        _ = session.pulled(lastPage, at: now)
        _ = session.superseded(at: now)
        #expect(session.localChange(at: now) == .wait)
        _ = session.pulled(PageSummary(count: 9, hasMore: true, schemaVersion: 1), at: now)
        #expect(session.applied(.notCompared, at: now) == .sealPush())
        #expect(session.expectsPage)
    }

    @Test func blockedPushIsNoReasonForALongPollThatComparedNothing() {
        var session = SyncSession.polling(at: now)
        _ = session.localChange(at: now)
        _ = session.sealed(1, at: now)
        session.checkpointGone()
        #expect(
            session.failed(.push, .refused(ProtocolError(.quotaExceeded, "Full")), at: now) == .pull(waitSeconds: 0))
    }

    @Test func transactionThatCannotBeSetAsideIsTriedLessAndLess() throws {
        var session = SyncSession(.once(attemptsMax: 3), seed: 1)
        _ = session.started(.sealed(number: 7), schemaVersion: 1, at: now)
        let refusal = SyncFailure.refused(ProtocolError(.badRequest, "odd"))
        let full = SyncFailure.replicaUnavailable(message: "full")
        var time = now
        for _ in 0..<3 {
            guard session.outcome == nil else { break }
            _ = session.failed(.push, refusal, at: time)
            if case .pull = session.divided(false, at: time) {
                _ = session.pulled(emptyPage, at: time)
                _ = session.applied(.matches, at: time)
            }
            _ = session.failed(.push, full, at: time)
            time = session.deadline ?? time
            _ = session.timerFired(at: time)
        }
        guard case .gaveUp = session.outcome else {
            Issue.record("\(session)")
            return
        }
    }

    @Test func transactionIsNotSetAsideWhilePullsFail() {
        var session = SyncSession.polling(at: now)
        _ = session.failed(.pull, down, at: now)
        _ = session.localChange(at: now)
        _ = session.sealed(1, at: now)
        #expect(
            session.failed(.push, .refused(ProtocolError(.badRequest, "odd")), at: now)
                == .divide(number: 1, isTooLarge: false))
        #expect(session.divided(false, at: now) == .wait)
    }

    /// The pages have left out changes that another copy of the file wrote under the old identity.
    @Test func newIdentityPullsBeforeTheEnd() {
        var session = SyncSession(.once(attemptsMax: 3), seed: 1)
        _ = session.started(.sealed(number: 7), schemaVersion: 1, at: now)
        _ = session.failed(.push, down, at: now)
        _ = session.pulled(emptyPage, at: now)
        _ = session.applied(.notCompared, at: now)
        let later = now.advanced(by: .seconds(60))
        _ = session.timerFired(at: later)
        _ = session.failed(.push, .refused(ProtocolError(.replicaForked, "forked")), at: later)
        _ = session.renewed(at: later)
        _ = session.sealed(1, at: later)
        _ = session.pushReplied(to: 1, at: later)
        _ = session.acknowledged(at: later)
        #expect(session.sealed(nil, at: later) == .pull(waitSeconds: 0))
    }

    /// An answer that does not fit the request must not end the program.
    @Test func answersThatWereNotAskedForCountAsInvalid() {
        var session = SyncSession(.continuous(waitSeconds: 55), seed: 1)
        _ = session.started(.empty, isCopy: true, schemaVersion: 1, at: now)
        let ahead = SyncFailure.refused(ProtocolError(.clockAhead, "ahead", serverTime: 99))
        #expect(session.failed(.push, ahead, at: now) == .wait)
        var other = SyncSession(.continuous(waitSeconds: 55), seed: 1)
        _ = other.started(.empty, schemaVersion: 1, at: now)
        _ = other.pulled(emptyPage, at: now)
        #expect(other.applied(.serverLost, at: now) == .recover)
        #expect(other.failed(.pull, sentBack, at: now) == .wait)
        #expect(other.timerFired(at: now.advanced(by: .seconds(60))) == .pull(waitSeconds: 0))
        _ = other.pulled(emptyPage, at: now)
        #expect(other.applied(.serverLost, at: now) == .recover)
        #expect(other.failed(.pull, ahead, at: now) == .wait, "time cures it")
    }
}

// MARK: A token that the server does not know

extension SyncSessionTests {
    private var unknown: SyncFailure { .refused(ProtocolError(.unauthorized, "unknown")) }

    /// Sealed pushes stay sealed, and are sent with the present token.
    @Test func whatFailsOverAnEarlierTokenIsTriedWithThePresentOne() throws {
        var session = SyncSession.sending(at: now)
        #expect(session.forgotten(.push, unknown, at: now) == .renew(.forgotten))
        #expect(session.failed(.push, .unreachable(message: "down"), at: now) == .wait)
        let time = try #require(session.deadline)
        #expect(session.timerFired(at: time) == .sendPush(number: 7))
    }

    @Test func aNewIdentityPushesAndPullsAtOnce() {
        var session = SyncSession.polling(at: now)
        #expect(session.forgotten(.pull, unknown, at: now) == .renew(.forgotten))
        #expect(session.renewed(at: now) == .sealPush())
        #expect(session.sealed(nil, at: now) == .pull(waitSeconds: 0))
    }

    /// The push lane meets the same refusal, or gets a known token.
    @Test func aPullWaitsForThePushUnderWay() {
        var session = SyncSession.polling(at: now)
        _ = session.localChange(at: now)
        #expect(session.sealed(1, at: now) == .sendPush(number: 1))
        #expect(session.forgotten(.pull, unknown, at: now) == .wait)
        #expect(session.forgotten(.push, unknown, at: now) == .renew(.forgotten))
        #expect(session.renewed(at: now) == .sealPush())
    }

    /// After a search in vain, both lanes wait five minutes, and a wake tries only the present token.
    @Test func aSearchInVainIsNotRepeatedSoon() throws {
        var session = SyncSession.polling(at: now)
        #expect(session.forgotten(.pull, unknown, at: now) == .renew(.forgotten))
        #expect(session.failed(.push, unknown, at: now) == .wait)
        #expect(now.duration(to: try #require(session.deadline)) >= .seconds(300))
        let soon = now.advanced(by: .seconds(20))
        let action = session.wake(at: soon)
        #expect(action == .sealPush())
        #expect(session.sealed(nil, at: soon) == .pull(waitSeconds: 0))
        #expect(session.forgotten(.pull, unknown, at: soon) == .wait)
        let later = try #require(session.deadline)
        #expect(soon.duration(to: later) >= .seconds(300))
        #expect(session.timerFired(at: later) == .pull(waitSeconds: 0))
        #expect(session.forgotten(.pull, unknown, at: later) == .renew(.forgotten))
    }

    @Test func aSessionThatRunsOnceSaysThatNoneIsKnown() {
        var session = SyncSession(.once(attemptsMax: 3), seed: 1)
        _ = session.started(.empty, schemaVersion: 1, at: now)
        #expect(session.forgotten(.pull, unknown, at: now) == .renew(.forgotten))
        guard case .finish(.stopped(let reason)) = session.failed(.push, unknown, at: now) else {
            Issue.record("\(session)")
            return
        }
        #expect(reason.kind == .unauthorized)
    }

    /// A server gives new identities and forgets them.
    @Test func renewalsByEarlierTokensHaveALimit() throws {
        var session = SyncSession.polling(at: now)
        var (time, renewals) = (now, 0)
        while renewals < 100, time < now.advanced(by: .seconds(12 * 3600)) {
            let action = session.forgotten(.pull, unknown, at: time)
            if action == .renew(.forgotten) {
                renewals += 1
                _ = session.renewed(at: time)
                _ = session.sealed(nil, at: time)
            } else {
                time = try #require(session.deadline)
                _ = session.timerFired(at: time)
            }
        }
        #expect(renewals == RunningSession.renewalsPerDayMax)
    }

    /// The parts that the server holds need a new identity, and the day has none left: a daemon waits, and tries again.
    @Test func partsLeftWithoutAnIdentityEndNoContinuousSession() throws {
        var session = SyncSession.polling(at: now)
        for _ in 0..<RunningSession.renewalsPerDayMax {
            _ = session.localChange(at: now)
            #expect(session.leftParts(at: now) == .renew(.partsLeft))
            _ = session.renewed(at: now)
            _ = session.sealed(nil, at: now)
        }
        _ = session.localChange(at: now)
        _ = session.leftParts(at: now)
        guard case .waiting(_, let retryAt?, _) = session.status else {
            Issue.record("\(session.status)")
            return
        }
        #expect(retryAt > now.advanced(by: .seconds(600)))
        _ = session.timerFired(at: retryAt.advanced(by: .seconds(1)))
        #expect(session.outcome == nil)
    }
}
