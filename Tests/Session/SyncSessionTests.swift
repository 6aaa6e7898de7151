import RoostModel
import RoostProtocol
import Testing

@testable import Session

/// Whole stories, one event after another.
@Suite struct SyncSessionTests {
    let now = Moment(milliseconds: 1000)
    let lastPage = PageSummary(count: 3, hasMore: false, schemaVersion: 1)
    let emptyPage = PageSummary(count: 0, hasMore: false, schemaVersion: 1)
    let pageWithMore = PageSummary(count: 9, hasMore: true, schemaVersion: 1)
    let down = SyncFailure.unreachable(message: "down")
    let sentBack = SyncFailure.refused(ProtocolError(.resyncRequired, "too old"))

    @Test func onceItPushesUntilEmptyThenPullsUntilUpToDate() {
        var session = SyncSession(.once(attemptsMax: 1), seed: 1)
        #expect(session.started(.waiting, schemaVersion: 1, at: now) == .sealPush())
        #expect(session.sealed(1, at: now) == .sendPush(number: 1))
        #expect(session.status == .pushing)
        #expect(session.pushReplied(to: 1, at: now) == .acknowledge(number: 1))
        #expect(session.acknowledged(at: now) == .sealPush())
        #expect(session.sealed(nil, at: now) == .pull(waitSeconds: 0))
        #expect(session.status == .pulling)
        #expect(session.pulled(pageWithMore, at: now) == .applyPage(prefetches: true))
        #expect(session.applied(.notCompared, at: now) == .wait)
        #expect(session.pulled(lastPage, at: now) == .applyPage())
        #expect(session.applied(.matches, at: now) == .finish(.upToDate))
        #expect(session.status == .upToDate(since: now))
    }

    @Test func localChangeIsPushedAtOnceBesideTheLongPoll() {
        var session = SyncSession.polling(at: now)
        #expect(session.status == .upToDate(since: now))
        #expect(session.localChange(at: now) == .sealPush())
        #expect(session.sealed(1, at: now) == .sendPush(number: 1))
        #expect(session.pushReplied(to: 1, at: now) == .acknowledge(number: 1))
        #expect(session.acknowledged(at: now) == .sealPush())
        #expect(session.sealed(nil, at: now) == .wait)
        #expect(session.status == .upToDate(since: now))
        #expect(session.pulled(lastPage, at: now) == .applyPage())
    }

    @Test func pageOfTheLongPollIsAppliedWhileAPushIsUnderWay() {
        var session = SyncSession.polling(at: now)
        _ = session.localChange(at: now)
        _ = session.sealed(1, at: now)
        #expect(session.pulled(lastPage, at: now) == .applyPage())
        #expect(session.applied(.notCompared, at: now) == .pull(waitSeconds: 55))
        #expect(session.status == .pushing)
    }

    /// A long poll would show only at its end that the server was restored from a backup.
    @Test func sharedPageThatAnotherPushOvertookIsFollowedByAPullAtOnce() {
        var session = SyncSession(.continuous(waitSeconds: 55), seed: 1)
        _ = session.started(.waiting, schemaVersion: 1, at: now)
        #expect(session.sealed(1, isLast: true, at: now) == .sendPush(number: 1, pulls: true))
        _ = session.localChange(at: now)
        _ = session.pushReplied(to: 1, page: emptyPage, at: now)
        #expect(session.acknowledged(at: now) == .sealPush())
        #expect(session.sealed(2, isLast: true, at: now) == .sendPush(number: 2))
        _ = session.pushReplied(to: 2, at: now)
        _ = session.acknowledged(at: now)
        #expect(session.sealed(nil, at: now) == .applyPage())
        #expect(session.applied(.notCompared, at: now) == .pull(waitSeconds: 0))
        _ = session.pulled(emptyPage, at: now)
        #expect(session.applied(.matches, at: now) == .pull(waitSeconds: 55))
    }

    /// The page was requested before the push was stored, so its digest does not include the push.
    @Test func pageUnderWayWhenAllIsPushedIsFollowedByAPullAtOnce() {
        var session = SyncSession(.continuous(waitSeconds: 55), seed: 1)
        #expect(session.started(.empty, schemaVersion: 1, at: now) == .pull(waitSeconds: 0))
        _ = session.localChange(at: now)
        _ = session.sealed(1, isLast: true, at: now)
        #expect(session.pulled(pageWithMore, at: now) == .applyPage(prefetches: true))
        _ = session.pushReplied(to: 1, at: now)
        _ = session.acknowledged(at: now)
        #expect(session.sealed(nil, at: now) == .wait)
        #expect(session.applied(.notCompared, at: now) == .wait)
        _ = session.pulled(lastPage, at: now)
        #expect(session.applied(.notCompared, at: now) == .pull(waitSeconds: 0))
        _ = session.pulled(emptyPage, at: now)
        #expect(session.applied(.matches, at: now) == .pull(waitSeconds: 55))
    }

    /// A push that was held back is sent between the last page, whose digest was not compared, and the long poll.
    @Test func allIsPushedBeforeTheLongPollPullsAtOnce() {
        var session = SyncSession(.continuous(waitSeconds: 55), seed: 1)
        _ = session.started(.empty, schemaVersion: 1, at: now)
        _ = session.pulled(lastPage, at: now)
        #expect(session.superseded(at: now) == .pull(waitSeconds: 0))
        #expect(session.localChange(at: now) == .wait)
        _ = session.pulled(lastPage, at: now)
        #expect(session.applied(.notCompared, at: now) == .sealPush())
        #expect(session.sealed(1, isLast: true, at: now) == .sendPush(number: 1))
        _ = session.pushReplied(to: 1, at: now)
        _ = session.acknowledged(at: now)
        #expect(session.sealed(nil, at: now) == .pull(waitSeconds: 0))
    }

    @Test func changeDuringSealingIsNotForgotten() {
        var session = SyncSession.polling(at: now)
        #expect(session.localChange(at: now) == .sealPush())
        #expect(session.localChange(at: now) == .wait)
        #expect(session.sealed(nil, at: now) == .sealPush())
    }

    /// A page meets a row that another program wrote past the triggers.
    @Test func changesThatAPageHasFoundArePushed() {
        var session = SyncSession.polling(at: now)
        #expect(session.pulled(lastPage, at: now) == .applyPage())
        session.changesFound()
        #expect(session.applied(.notCompared, at: now) == .sealPush())
        #expect(session.sealed(1, isLast: true, at: now) == .sendPush(number: 1))
    }

    @Test func onceEndsAfterItHasPushedWhatItsPagesHaveFound() {
        var session = SyncSession(.once(attemptsMax: 1), seed: 1)
        #expect(session.started(.empty, schemaVersion: 1, at: now) == .pull(waitSeconds: 0))
        #expect(session.pulled(lastPage, at: now) == .applyPage())
        session.changesFound()
        #expect(session.applied(.notCompared, at: now) == .sealPush())
        #expect(session.sealed(1, isLast: true, at: now) == .sendPush(number: 1))
        #expect(session.pushReplied(to: 1, at: now) == .acknowledge(number: 1))
        _ = session.acknowledged(at: now)
        #expect(session.sealed(nil, at: now) == .pull(waitSeconds: 0))
        #expect(session.pulled(emptyPage, at: now) == .applyPage())
        #expect(session.applied(.matches, at: now) == .finish(.upToDate))
    }

    @Test func sealedPushOfAnEarlierRunIsSentAgain() {
        var session = SyncSession.sending(at: now)
        #expect(session.failed(.push, down, at: now) == .pull(waitSeconds: 0))
        let later = now.advanced(by: .seconds(60))
        #expect(session.timerFired(at: later) == .sendPush(number: 7))
    }

    @Test func replyThatCouldNotBeWrittenIsAskedForAgain() {
        var session = SyncSession.sending(at: now)
        _ = session.pushReplied(to: 7, at: now)
        _ = session.failed(.push, .replicaUnavailable(message: "locked"), at: now)
        #expect(session.timerFired(at: now.advanced(by: .seconds(60))) == .sendPush(number: 7))
    }

    @Test func replyToAnotherPushIsNotTaken() {
        var session = SyncSession.sending(at: now)
        #expect(session.pushReplied(to: 6, at: now) == .pull(waitSeconds: 0))
        guard case .waiting(let reason, _, _) = session.status else {
            Issue.record("\(session.status)")
            return
        }
        #expect(reason.kind == .invalidReply)
    }

    @Test func clockAheadIsStampedAnewTwiceThenBlocks() {
        let ahead = SyncFailure.refused(ProtocolError(.clockAhead, "ahead", serverTime: 99))
        var session = SyncSession.sending(at: now)
        for _ in 0..<2 {
            #expect(session.failed(.push, ahead, at: now) == .restamp(serverTime: 99))
            #expect(session.restamped(at: now) == .sealPush())
            #expect(session.sealed(7, at: now) == .sendPush(number: 7))
        }
        #expect(session.failed(.push, ahead, at: now) == .pull(waitSeconds: 0))
        _ = session.pulled(emptyPage, at: now)
        _ = session.applied(.matches, at: now)
        guard case .blocked(let reason, since: now) = session.status else {
            Issue.record("\(session.status)")
            return
        }
        #expect(reason.kind == .clockAhead)
    }

    @Test func viewerWithLocalChangesGoesOnPulling() {
        var session = SyncSession(.once(attemptsMax: 1), seed: 1)
        _ = session.started(.sealed(number: 1), schemaVersion: 1, at: now)
        let failure = SyncFailure.refused(ProtocolError(.forbidden, "A viewer cannot push"))
        #expect(session.failed(.push, failure, at: now) == .pull(waitSeconds: 0))
        _ = session.pulled(lastPage, at: now)
        let reason = StopReason(.forbidden, "A viewer cannot push", code: .forbidden)
        #expect(session.applied(.matches, at: now) == .finish(.blocked(reason)))
        #expect(session.status == .blocked(reason, since: now))
    }

    @Test func wakeTriesABlockedPushAgainUnchanged() {
        var session = SyncSession.sending(at: now)
        _ = session.failed(.push, .refused(ProtocolError(.quotaExceeded, "Full")), at: now)
        #expect(session.localChange(at: now) == .wait)
        #expect(session.wake(at: now) == .sendPush(number: 7))
    }

    /// The reason may have been removed after the server had judged it.
    @Test func wakeWhileAPushIsSentIsNotLost() {
        var session = SyncSession.sending(at: now)
        let full = SyncFailure.refused(ProtocolError(.quotaExceeded, "Full"))
        #expect(session.wake(at: now) == .wait)
        #expect(session.failed(.push, full, at: now) == .sendPush(number: 7))
        #expect(session.failed(.push, full, at: now) == .pull(waitSeconds: 0))
        _ = session.pulled(emptyPage, at: now)
        _ = session.applied(.notCompared, at: now)
        guard case .blocked = session.status else {
            Issue.record("\(session.status)")
            return
        }
    }

    /// A server without its data knows no device. A continuous session outlasts that.
    @Test func continuousSessionOutlastsAServerThatDoesNotKnowIt() {
        var session = SyncSession.polling(at: now)
        _ = session.localChange(at: now)
        _ = session.sealed(1, at: now)
        let unknown = SyncFailure.refused(ProtocolError(.unauthorized, "Not known."))
        _ = session.failed(.push, unknown, at: now)
        _ = session.failed(.pull, unknown, at: now)
        guard case .waiting(let reason, let retryAt?, _) = session.status else {
            Issue.record("\(session.status)")
            return
        }
        #expect(reason.kind == .notRecognised)
        #expect(retryAt >= now.advanced(by: .seconds(300)))
        #expect(session.wake(at: now) == .wait)
        #expect(session.timerFired(at: now.advanced(by: .seconds(400))) != .wait)
    }

    @Test func sessionThatEndsByItselfEndsWhereTheServerDoesNotKnowIt() {
        var session = SyncSession(.once(attemptsMax: 3), seed: 1)
        _ = session.started(.empty, schemaVersion: 1, at: now)
        let unknown = SyncFailure.refused(ProtocolError(.unauthorized, "Not known."))
        guard case .finish(.stopped(let reason)) = session.failed(.pull, unknown, at: now) else {
            Issue.record("\(session.status)")
            return
        }
        #expect(reason.kind == .unauthorized)
    }

    @Test func stopEndsWhateverElseIsUnderWay() {
        var session = SyncSession.polling(at: now)
        _ = session.localChange(at: now)
        _ = session.sealed(1, at: now)
        let reason = StopReason(.replicaDamaged, "Damaged")
        #expect(
            session.failed(.pull, .replicaDamaged(message: "Damaged"), at: now) == .finish(.stopped(reason)))
        #expect(session.pushReplied(to: 1, at: now) == .wait)
        #expect(session.localChange(at: now) == .wait)
        #expect(session.status == .stopped(reason, since: now))
        #expect(session.deadline == nil)
    }

    /// A restored server, or a proxy in its place, may answer anything. The daemon outlasts it.
    @Test(arguments: [
        ErrorCode.revoked, .notFound, .forbidden, .quotaExceeded, .badRequest, .foreignStamp, .serverRolledBack,
        .stampsNotIncreasing, .clockAhead, .schemaConflict, .methodNotAllowed,
    ])
    func noAnswerOfAServerEndsAContinuousSession(code: ErrorCode) {
        var session = SyncSession.polling(at: now)
        _ = session.failed(.pull, .refused(ProtocolError(code, "No.")), at: now)
        guard case .waiting(let reason, let retryAt?, _) = session.status else {
            Issue.record("\(session.status)")
            return
        }
        #expect(reason.kind == .refused && reason.message.hasPrefix("No."))
        #expect(retryAt >= now.advanced(by: .seconds(900)))
        #expect(session.timerFired(at: now.advanced(by: .seconds(1000))) != .wait)
    }

    @Test func laterSchemaIsFetchedBeforeThePageIsApplied() {
        var session = SyncSession.polling(at: now)
        let page = PageSummary(count: 1, hasMore: false, schemaVersion: 2)
        #expect(session.pulled(page, at: now) == .fetchSchema(version: 2))
        #expect(session.schemaFetched(at: now) == .applyPage())
        #expect(session.applied(.matches, at: now) == .pull(waitSeconds: 55))
        #expect(session.pulled(page, at: now) == .applyPage())
    }

    @Test func differingDigestPullsAnewThreeTimesThenStops() {
        var session = SyncSession.polling(at: now)
        _ = session.pulled(lastPage, at: now)
        for _ in 0..<3 {
            #expect(session.applied(.differs, at: now) == .resynchronise(.differs))
            #expect(session.resynchronised(at: now) == .pull(waitSeconds: 0))
            _ = session.pulled(lastPage, at: now)
        }
        guard case .finish(.stopped(let reason)) = session.applied(.differs, at: now) else {
            Issue.record("\(session.status)")
            return
        }
        #expect(reason.kind == .digestDiffers)
    }

    @Test func replicaThatDifferedGoesOnWithTheNextSession() {
        var session = SyncSession(.once(attemptsMax: 3), seed: 1)
        _ = session.started(.empty, schemaVersion: 1, at: now)
        _ = session.pulled(lastPage, at: now)
        #expect(session.applied(.matches, at: now) == .finish(.upToDate))
    }

    /// Only completed resynchronisations count. A full disk is waited for.
    @Test func beginningAnewThatTheDiskRefusesDoesNotCount() throws {
        var session = SyncSession.polling(at: now)
        var time = now
        for _ in 0..<5 {
            #expect(session.failed(.pull, sentBack, at: time) == .resynchronise(.expired))
            #expect(session.failed(.pull, .replicaUnavailable(message: "full"), at: time) == .wait)
            time = try #require(session.deadline)
            #expect(session.timerFired(at: time) == .pull(waitSeconds: 0))
        }
        #expect(session.failed(.pull, sentBack, at: time) == .resynchronise(.expired))
    }

    /// Changes of a push whose reply was lost may be purged since. The reply belongs before the full pull.
    @Test func lostReplyIsHeardBeforeEverythingIsPulledAnew() throws {
        var session = SyncSession.sending(at: now)
        #expect(session.failed(.push, down, at: now) == .pull(waitSeconds: 0))
        #expect(session.failed(.pull, sentBack, at: now) == .wait)
        let retry = try #require(session.deadline)
        #expect(session.timerFired(at: retry) == .sendPush(number: 7))
        #expect(session.pushReplied(to: 7, at: retry) == .acknowledge(number: 7))
        #expect(session.acknowledged(at: retry) == .sealPush())
        #expect(session.sealed(nil, at: retry) == .pull(waitSeconds: 0))
        #expect(session.failed(.pull, sentBack, at: retry) == .resynchronise(.expired))
    }

    /// A server that never answers a push does not prevent the full pull.
    @Test func replyThatDoesNotComeIsAskedForThreeTimes() throws {
        var session = SyncSession.sending(at: now)
        #expect(session.failed(.push, down, at: now) == .pull(waitSeconds: 0))
        for _ in 1...3 {
            #expect(session.failed(.pull, sentBack, at: now) == .wait)
            let retry = try #require(session.deadline)
            #expect(session.timerFired(at: retry) == .sendPush(number: 7))
            #expect(session.failed(.push, down, at: retry) == .pull(waitSeconds: 0))
        }
        #expect(session.failed(.pull, sentBack, at: now) == .resynchronise(.expired))
    }

    @Test func serverThatDoesNotHoldLongPollsIsNotHammered() {
        var session = SyncSession.polling(at: now)
        _ = session.pulled(emptyPage, at: now)
        #expect(session.applied(.matches, at: now) == .wait)
        #expect(session.status == .upToDate(since: now))
        let later = now.advanced(by: .milliseconds(500))
        #expect(session.deadline == later)
        #expect(session.timerFired(at: later) == .pull(waitSeconds: 55))
    }

    @Test func onceItGivesUpAfterItsAttempts() {
        var session = SyncSession(.once(attemptsMax: 2), seed: 1)
        _ = session.started(.empty, schemaVersion: 1, at: now)
        #expect(session.failed(.pull, down, at: now) == .wait)
        let later = now.advanced(by: .seconds(60))
        #expect(session.timerFired(at: later) == .pull(waitSeconds: 0))
        let reason = WaitReason(.unreachable, "down")
        #expect(session.failed(.pull, down, at: later) == .finish(.gaveUp(reason)))
        #expect(session.status == .offline(reason, retryAt: nil, since: later))
    }

    @Test func sameSeedGivesTheSameWaits() {
        var left = SyncSession.polling(at: now)
        var right = SyncSession.polling(at: now)
        _ = left.failed(.pull, down, at: now)
        _ = right.failed(.pull, down, at: now)
        #expect(left == right)
    }

    @Test func pullWaitsForTheFirstPush() {
        var session = SyncSession.sending(at: now)
        #expect(session.timerFired(at: now.advanced(by: .seconds(60))) == .wait)
        #expect(session.wake(at: now.advanced(by: .seconds(60))) == .wait)
        #expect(session.deadline == nil)
    }

    @Test func eventsBeforeTheStartChangeNothing() {
        var session = SyncSession(.continuous(waitSeconds: 55), seed: 1)
        let before = session
        #expect(session.localChange(at: now) == .wait)
        #expect(session.wake(at: now) == .wait)
        #expect(session.timerFired(at: now) == .wait)
        #expect(session.sealed(1, at: now) == .wait)
        #expect(session.failed(.pull, down, at: now) == .wait)
        #expect(session == before)
    }

    @Test func eventsAfterTheEndChangeNothing() {
        var session = SyncSession.polling(at: now)
        #expect(session.stop(at: now) == .finish(.requested))
        let ended = session
        #expect(session.started(.waiting, schemaVersion: 1, at: now) == .wait)
        #expect(session.wake(at: now) == .wait)
        #expect(session.pulled(lastPage, at: now) == .wait)
        #expect(session.stop(at: now) == .wait)
        #expect(session == ended)
    }

    @Test func stopBeforeTheStartEnds() {
        var session = SyncSession(.continuous(waitSeconds: 55), seed: 1)
        #expect(session.status == .notRunning)
        #expect(session.stop(at: now) == .finish(.requested))
        #expect(session.started(.waiting, schemaVersion: 1, at: now) == .wait)
    }

    @Test func secondStartTraps() async {
        await #expect(processExitsWith: .failure) {
            var session = SyncSession(.continuous(waitSeconds: 55), seed: 1)
            _ = session.started(.empty, schemaVersion: 1, at: Moment(milliseconds: 0))
            _ = session.started(.empty, schemaVersion: 1, at: Moment(milliseconds: 0))
        }
    }
}
