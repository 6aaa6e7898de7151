import RoostModel
import RoostProtocol
import Testing

@testable import Session

/// Companions of actions: requests that are sent ahead of an action, and pages that a reply's transaction applies.
@Suite struct SyncSessionCompanionTests {
    private let now = Moment(milliseconds: 1000)
    private let lastPage = PageSummary(count: 3, hasMore: false, schemaVersion: 1)
    private let emptyPage = PageSummary(count: 0, hasMore: false, schemaVersion: 1)
    private let pageWithMore = PageSummary(count: 9, hasMore: true, schemaVersion: 1)

    private func once(_ outbox: OutboxState) -> (SyncSession, SyncAction) {
        var session = SyncSession(.once(attemptsMax: 3), seed: 1)
        let action = session.started(outbox, schemaVersion: 1, at: now)
        return (session, action)
    }

    // MARK: Connection

    @Test func manyChangesAreSealedWhileTheConnectionIsOpened() {
        var (session, action) = once(.many)
        #expect(action == .sealPush(preconnects: true))
        #expect(session.sealed(1, isLast: true, at: now) == .sendPush(number: 1, pulls: true, isPreconnected: true))
    }

    /// The request that is open asks for a page, which the last push alone brings.
    @Test func connectionIsOnlyUsedForAPushThatPulls() {
        var (session, _) = once(.many)
        #expect(session.sealed(1, isLast: false, at: now) == .sendPush(number: 1))
    }

    @Test func connectionIsNotUsedAfterTheCheckpointIsGone() {
        var (session, _) = once(.many)
        session.checkpointGone()
        #expect(session.sealed(1, isLast: true, at: now) == .sendPush(number: 1, pulls: true))
    }

    // MARK: Next page

    @Test func answerToARequestThatWasSentAheadIsTheNextPage() {
        var (session, _) = once(.empty)
        #expect(session.pulled(pageWithMore, at: now) == .applyPage(prefetches: true))
        #expect(session.expectsPage)
        #expect(session.applied(.notCompared, at: now) == .wait)
        #expect(session.pulled(lastPage, at: now) == .applyPage())
        #expect(!session.expectsPage)
        #expect(session.applied(.matches, at: now) == .finish(.upToDate))
    }

    @Test func pageThatIsNotAppliedTakesTheNextOneWithIt() {
        var (session, _) = once(.empty)
        _ = session.pulled(pageWithMore, at: now)
        #expect(session.superseded(at: now) == .pull(waitSeconds: 0))
        _ = session.pulled(pageWithMore, at: now)
        #expect(session.failed(.pull, .replicaUnavailable(message: "full"), at: now) == .wait)
        #expect(!session.expectsPage)
    }

    @Test func nextPageIsRequestedAgainAfterTheCheckpointIsGone() {
        var (session, _) = once(.empty)
        _ = session.pulled(pageWithMore, at: now)
        session.checkpointGone()
        #expect(!session.expectsPage)
        #expect(session.applied(.notCompared, at: now) == .pull(waitSeconds: 0))
    }

    @Test func nextPageIsRequestedOnceItsSchemaIsThere() {
        var (session, _) = once(.empty)
        let page = PageSummary(count: 9, hasMore: true, schemaVersion: 2)
        #expect(session.pulled(page, at: now) == .fetchSchema(version: 2))
        #expect(!session.expectsPage)
        #expect(session.schemaFetched(at: now) == .applyPage(prefetches: true))
    }

    // MARK: Page that comes with a reply

    private func replied(_ mode: SyncMode, with page: PageSummary) -> (SyncSession, SyncAction) {
        var session = SyncSession(mode, seed: 1)
        _ = session.started(.waiting, schemaVersion: 1, at: now)
        #expect(session.sealed(1, isLast: true, at: now) == .sendPush(number: 1, pulls: true))
        let action = session.pushReplied(to: 1, page: page, at: now)
        return (session, action)
    }

    @Test func emptyPageIsAppliedWithTheReply() {
        var (session, action) = replied(.once(attemptsMax: 1), with: emptyPage)
        #expect(action == .acknowledge(number: 1, appliesPage: true))
        #expect(session.acknowledged(applied: .matches, at: now) == .sealPush())
        #expect(session.sealed(nil, at: now) == .finish(.upToDate))
    }

    @Test func longPollFollowsAPageThatWasAppliedWithTheReply() {
        var (session, _) = replied(.continuous(waitSeconds: 55), with: emptyPage)
        #expect(session.acknowledged(applied: .matches, at: now) == .sealPush())
        #expect(session.sealed(nil, at: now) == .pull(waitSeconds: 55))
    }

    @Test func pageWithContentIsAppliedAfterTheReply() {
        var (session, action) = replied(.once(attemptsMax: 1), with: lastPage)
        #expect(action == .acknowledge(number: 1))
        #expect(session.acknowledged(at: now) == .sealPush())
        #expect(session.sealed(nil, at: now) == .applyPage())
    }

    /// Applying the page takes more than storing its checkpoint.
    @Test func emptyPageThatWasNotAppliedWithTheReplyIsAppliedAfterIt() {
        var (session, _) = replied(.once(attemptsMax: 1), with: emptyPage)
        #expect(session.acknowledged(at: now) == .sealPush())
        #expect(session.sealed(nil, at: now) == .applyPage())
    }

    @Test func emptyPageIsKeptWhereTheReplyCannotBeWritten() {
        var (session, _) = replied(.continuous(waitSeconds: 55), with: emptyPage)
        #expect(session.failed(.push, .replicaUnavailable(message: "full"), at: now) == .applyPage())
    }

    @Test func digestThatDiffersComesBeforeTheOutbox() {
        var (session, _) = replied(.once(attemptsMax: 1), with: emptyPage)
        #expect(session.acknowledged(applied: .differs, at: now) == .resynchronise(.differs))
        #expect(session.resynchronised(at: now) == .pull(waitSeconds: 0))
        #expect(session.timerFired(at: now) == .sealPush())
    }

    // MARK: Local writes

    @Test func localWritesSealThemselvesWhileTheSessionWaits() {
        var session = SyncSession.polling(at: now)
        #expect(session.sealsLocalWrites)
        _ = session.localChange(at: now)
        #expect(!session.sealsLocalWrites)
        _ = session.sealed(nil, at: now)
        #expect(session.sealsLocalWrites)
        _ = session.failed(.pull, .unreachable(message: "down"), at: now)
        #expect(!session.sealsLocalWrites)
        _ = session.stop(at: now)
        #expect(!session.sealsLocalWrites)
    }
}
