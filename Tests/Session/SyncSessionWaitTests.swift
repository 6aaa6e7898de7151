import RoostProtocol
import Testing

@testable import Session

/// Retries of a session in trouble, and the states that it shows meanwhile.
@Suite struct SyncSessionWaitTests {
    let now = Moment(milliseconds: 1000)
    let emptyPage = PageSummary(count: 0, hasMore: false, schemaVersion: 1)
    let down = SyncFailure.unreachable(message: "down")

    @Test func localChangeShortensAWaitButNotBelowHalfASecond() {
        var session = SyncSession.polling(at: now)
        _ = session.localChange(at: now)
        _ = session.sealed(1, at: now)
        #expect(session.failed(.push, down, at: now) == .wait)
        #expect(session.localChange(at: now) == .wait)
        #expect(session.deadline == now.advanced(by: .milliseconds(500)))
        #expect(session.timerFired(at: now.advanced(by: .milliseconds(499))) == .wait)
        #expect(session.timerFired(at: now.advanced(by: .milliseconds(500))) == .sendPush(number: 1))
    }

    /// The network is back while an earlier request hangs.
    @Test func wakeDuringAnAttemptMakesTheNextWaitShort() throws {
        var session = SyncSession.sending(at: now)
        for _ in 0..<9 {
            _ = session.failed(.push, down, at: now)
            _ = session.timerFired(at: now.advanced(by: .seconds(60)))
        }
        _ = session.wake(at: now)
        _ = session.failed(.push, down, at: now)
        #expect(try #require(session.deadline) <= now.advanced(by: .seconds(1)))
    }

    @Test func retryAfterIsHonoured() {
        var session = SyncSession.sending(at: now)
        let error = ProtocolError(.tooManyRequests, "Too many requests", retryAfter: 20)
        _ = session.failed(.push, .refused(error), at: now)
        #expect(session.wake(at: now.advanced(by: .seconds(19))) == .wait)
        #expect(session.timerFired(at: now.advanced(by: .seconds(20))) == .sendPush(number: 7))
    }

    @Test func offlineIsToldWithItsStartAndNextAttempt() {
        var session = SyncSession.polling(at: now)
        #expect(session.failed(.pull, down, at: now) == .wait)
        let retryAt = session.deadline
        #expect(session.status == .offline(WaitReason(.unreachable, "down"), retryAt: retryAt, since: now))
        let later = now.advanced(by: .seconds(60))
        #expect(session.timerFired(at: later) == .pull(waitSeconds: 0))
        #expect(session.status == .offline(WaitReason(.unreachable, "down"), retryAt: nil, since: now))
        _ = session.pulled(emptyPage, at: later)
        #expect(session.applied(.matches, at: later) == .pull(waitSeconds: 55))
        #expect(session.status == .upToDate(since: later))
    }

    @Test func storedPushShortensTheWaitOfAnOfflinePull() {
        var session = SyncSession.polling(at: now)
        for _ in 0..<9 {
            _ = session.failed(.pull, down, at: now)
            _ = session.timerFired(at: now.advanced(by: .seconds(60)))
        }
        _ = session.failed(.pull, down, at: now)
        _ = session.localChange(at: now)
        _ = session.sealed(1, at: now)
        let later = now.advanced(by: .milliseconds(500))
        _ = session.pushReplied(to: 1, at: later)
        _ = session.acknowledged(at: later)
        #expect(session.sealed(nil, at: later) == .pull(waitSeconds: 0))
    }
}
