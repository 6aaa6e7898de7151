import RoostModel
import RoostProtocol

@testable import Session

/// A driver, a replica and a server reduced to counters. They do at random anything that the session allows.
struct Walk {
    struct Seal: Hashable {
        var number: UInt64
        /// A value that stands for the bytes; each sealing draws another one.
        var bytes: UInt64
        var changes: Int
    }

    var session: SyncSession
    var random: SplitMix64
    var now = Moment(milliseconds: 0)
    /// Whether requests and file accesses may fail.
    var hasFaults = true
    /// Broken invariants, in words.
    var violations: [String] = []
    private(set) var underway: [SyncLane: SyncAction] = [:]
    /// Number of pushes that the server had answered when the next page was requested ahead; `nil` where it was not.
    private var prefetched: Int?
    private(set) var written = 0
    private(set) var unsealed = 0
    private(set) var sealed: Seal?
    /// The last push that the server stored, with the number of changes of all pushes.
    private(set) var stored = Seal(number: 0, bytes: 0, changes: 0)
    private(set) var serverAhead = 0
    /// Number of transactions that the server never accepts, each of one change. They come first.
    private(set) var poison = 0
    /// Whether the server fails over such transactions rather than refuse them.
    private var failsOverPoison: Bool
    private var changesPerPush = 2
    /// Whether the replica has discarded its checkpoint.
    private(set) var isGone = false
    /// Whether the page under way follows a discarded checkpoint.
    private var isPageOld = false
    /// Number of records that the server has lost and the replica still has.
    private(set) var lost = 0
    private var forks = 0
    /// Whether the server has forgotten the token once.
    private var isForgotten = false
    private var restores = 0
    private var pageCount = 0
    private var schemaVersion = 1
    private var notBefore: [SyncLane: Moment] = [:]
    /// Number of pushes that the server has answered, when the page under way was made and now.
    private var storings = (atPage: 0, now: 0)
    private var hasMore = false
    /// Whether the next page follows one that was applied.
    private var isFollowing = false
    /// Whether a digest was compared since the session began or a pull failed.
    private(set) var isCompared = false
    /// Whether the last search of the outbox found nothing, and no change came since.
    private(set) var isKnownEmpty = false

    init(_ mode: SyncMode, seed: UInt64) {
        random = SplitMix64(state: seed)
        failsOverPoison = Bool.random(using: &random)
        session = SyncSession(mode, seed: seed)
        written = Int.random(in: 0...2, using: &random)
        unsealed = written
        isKnownEmpty = written == 0
        serverAhead = Int.random(in: 0...5, using: &random)
        let isCopy = Int.random(in: 0..<8, using: &random) == 0
        forks = isCopy ? 1 : 0
        take(
            session.started(
                written > 1 ? .many : written > 0 ? .waiting : .empty, isCopy: isCopy, schemaVersion: 1, at: now))
    }

    /// Lets one random event happen.
    mutating func step() {
        now = now.advanced(by: .milliseconds(Int64.random(in: 0...400, using: &random)))
        switch Int.random(in: 0..<20, using: &random) {
        case 0 where hasFaults: change()
        case 1 where hasFaults: serverAhead += 1
        case 2 where hasFaults: wake()
        case 3...5 where underway.isEmpty: awaitDeadline()
        case 3...5: take(session.timerFired(at: now))
        case 6..<13: finishAction(of: .push)
        default: finishAction(of: .pull)
        }
    }

    /// Lets `steps` events happen and checks the invariants after each.
    mutating func run(steps: Int) {
        for _ in 0..<steps where violations.isEmpty && session.outcome == nil {
            step()
            checkInvariants()
        }
    }

    /// Ends the faults of the server.
    mutating func cureServer() {
        hasFaults = false
        if failsOverPoison { poison = 0 }
    }

    mutating func wake() { take(session.wake(at: now)) }

    mutating func stop() {
        take(session.stop(at: now))
        for lane in SyncLane.allCases {
            let action = session.failed(lane, .timedOut(message: ""), at: now)
            if action != .wait { violations.append("7: acts after its end") }
        }
    }

    private mutating func change() {
        written += 1
        unsealed += 1
        isKnownEmpty = false
        if Int.random(in: 0..<10, using: &random) == 0 { poison += 1 }
        take(session.localChange(at: now))
    }

    /// Lets a page meet a change of another program.
    private mutating func findChange() {
        written += 1
        unsealed += 1
        isKnownEmpty = false
        session.changesFound()
    }

    private mutating func awaitDeadline() {
        if let deadline = session.deadline { now = max(now, deadline) }
        take(session.timerFired(at: now))
    }

    private mutating func finishAction(of lane: SyncLane) {
        guard let action = underway.removeValue(forKey: lane) else { return }
        defer { resumePrefetched() }
        if hasFaults, Int.random(in: 0..<4, using: &random) == 0 {
            // The request may have arrived without its answer.
            if case .sendPush = action, Bool.random(using: &random) { _ = store() }
            fail(lane)
        } else {
            complete(action, lane)
        }
    }

    /// Makes the request that was sent ahead the pull under way, once the preceding page is applied.
    private mutating func resumePrefetched() {
        if !session.expectsPage { prefetched = nil }
        if session.expectsPage, underway[.pull] == nil { underway[.pull] = .pull(waitSeconds: 0) }
    }

    private mutating func fail(_ lane: SyncLane) {
        let retryAfter = Int.random(in: 0...3, using: &random)
        let failures: [SyncFailure] = [
            .unreachable(message: "down"), .timedOut(message: "slow"), .replicaUnavailable(message: "locked"),
            .refused(ProtocolError(.tooManyRequests, "busy", retryAfter: retryAfter)), .invalidReply(message: "odd"),
            .refused(ProtocolError(.internalError, "fault", retryAfter: retryAfter)),
        ]
        let failure = failures.randomElement(using: &random) ?? .unreachable(message: "down")
        let isAsked = if case .refused = failure { true } else { false }
        notBefore[lane] = now.advanced(by: max(Backoff.least, isAsked ? .seconds(retryAfter) : .zero))
        if lane == .pull { (isCompared, isFollowing) = (false, false) }
        take(session.failed(lane, failure, at: now))
    }

    private mutating func complete(_ action: SyncAction, _ lane: SyncLane) {
        switch action {
        case .sealPush:
            let number = seal()
            isKnownEmpty = number == nil
            take(session.sealed(number, isLast: unsealed == 0, at: now))
        case .sendPush(let number, let pulls, _):
            if hasFaults, stored.number < number, Int.random(in: 0..<8, using: &random) == 0 {
                let error = ProtocolError(.clockAhead, "ahead", serverTime: 5)
                return take(session.failed(.push, .refused(error), at: now))
            }
            if hasFaults, forks < PushLane.renewalsMax, Int.random(in: 0..<12, using: &random) == 0 {
                forks += 1
                let error = ProtocolError(.replicaForked, "forked")
                return take(session.failed(.push, .refused(error), at: now))
            }
            if forgetsToken() {
                if Bool.random(using: &random) { _ = store() }
                return take(session.forgotten(.push, unknownToken, at: now))
            }
            if poison > 0, stored.number < number {
                let code = failsOverPoison ? ErrorCode.internalError : .badRequest
                if failsOverPoison { notBefore[.push] = now.advanced(by: Backoff.least) }
                return take(session.failed(.push, .refused(ProtocolError(code, "poison")), at: now))
            }
            let number = store()
            take(session.pushReplied(to: number, page: pulls ? pageWithReply() : nil, at: now))
        case .renew:
            renew()
            take(session.renewed(at: now))
        case .divide:
            let isSmaller = (sealed?.changes ?? 0) > 1
            if isSmaller {
                changesPerPush = 1
                if let sealed, sealed.number == stored.number { stored.changes -= sealed.changes }
                if hasFaults, Int.random(in: 0..<4, using: &random) == 0 { beatSealed() } else { unseal() }
            }
            take(session.divided(isSmaller, at: now))
        case .setAside:
            written -= sealed?.changes ?? 0
            poison = max(0, poison - 1)
            changesPerPush = 2
            // The server may have stored it although it failed.
            if let sealed, sealed.number == stored.number { stored.changes -= sealed.changes }
            sealed = nil
            if Bool.random(using: &random) { giveCheckpointUp() }
            take(session.wasSetAside(at: now))
        case .acknowledge(_, let appliesPage):
            sealed = nil
            // A transaction that does more than move the checkpoint leaves the page to the pull lane.
            let isApplied = appliesPage && !isPageOld && Bool.random(using: &random)
            take(session.acknowledged(applied: isApplied ? applyPage() : nil, at: now))
        case .restamp:
            unseal()
            take(session.restamped(at: now))
        case .pull:
            if hasFaults, restores < PullLane.resyncsMax, Int.random(in: 0..<16, using: &random) == 0 {
                restores += 1
                isFollowing = false
                let error = ProtocolError(.historyChanged, "restored")
                return take(session.failed(.pull, .refused(error), at: now))
            }
            if forgetsToken() {
                (isCompared, isFollowing) = (false, false)
                return take(session.forgotten(.pull, unknownToken, at: now))
            }
            take(session.pulled(page(), at: now))
        case .fetchSchema: take(session.schemaFetched(at: now))
        case .applyPage:
            if isPageOld || hasFaults && Int.random(in: 0..<8, using: &random) == 0 {
                isFollowing = false
                return take(session.superseded(at: now))
            }
            let digest = applyPage()
            take(session.applied(digest, at: now))
        case .resynchronise:
            serverAhead += Int.random(in: 0...3, using: &random)
            lost = Int.random(in: 0...2, using: &random)
            take(session.resynchronised(at: now))
        case .recover:
            if hasFaults, Int.random(in: 0..<4, using: &random) == 0 {
                return take(session.failed(.pull, .refused(ProtocolError(.notRecovering, "no")), at: now))
            }
            lost -= min(lost, 1)
            take(session.recovered(hasMore: lost > 0, at: now))
        case .giveUp:
            written += lost
            unsealed += lost
            isKnownEmpty = false
            lost = 0
            take(session.gaveUp(at: now))
        case .wait, .finish: break
        }
    }

    private mutating func applyPage() -> DigestCheck {
        serverAhead -= pageCount
        if hasFaults, Int.random(in: 0..<6, using: &random) == 0 { findChange() }
        // A page that a push has overlapped does not show what the replica should hold now.
        let isComparable = storings.atPage == storings.now && outboxCount == 0
        isCompared = isCompared || isComparable && !hasMore && lost == 0
        isFollowing = hasMore
        if !hasMore { isGone = false }
        return hasMore || !isComparable ? .notCompared : lost > 0 ? .serverLost : .matches
    }

    private let unknownToken = SyncFailure.refused(ProtocolError(.unauthorized, "unknown"))

    /// Whether the server forgets the token now. It does so once, while the push lane has no action under way.
    private mutating func forgetsToken() -> Bool {
        guard hasFaults, !isForgotten, underway[.push] == nil, Int.random(in: 0..<16, using: &random) == 0 else {
            return false
        }
        isForgotten = true
        return true
    }

    private mutating func page() -> PageSummary {
        storings.atPage = prefetched ?? storings.now
        prefetched = nil
        pageCount = Int.random(in: 0...min(serverAhead, 3), using: &random)
        if serverAhead > 0 { pageCount = max(pageCount, 1) }
        if Int.random(in: 0..<10, using: &random) == 0 { schemaVersion += 1 }
        isFollowing = false
        hasMore = pageCount < serverAhead
        return PageSummary(count: pageCount, hasMore: hasMore, schemaVersion: schemaVersion)
    }

    /// The page that comes with a reply. A server may leave it out.
    private mutating func pageWithReply() -> PageSummary? {
        hasFaults && Int.random(in: 0..<4, using: &random) == 0 ? nil : page()
    }

    /// Lets pages beat all sealed changes.
    private mutating func beatSealed() {
        written -= sealed?.changes ?? 0
        sealed = nil
        isKnownEmpty = false
        poison = min(poison, unsealed)
    }

    private mutating func giveCheckpointUp() {
        (isGone, isPageOld, isCompared) = (true, true, false)
        serverAhead += 1
        session.checkpointGone()
    }

    private mutating func unseal() {
        unsealed += sealed?.changes ?? 0
        isKnownEmpty = false
        sealed = nil
    }

    /// Restarts the numbers of pushes. A stored push that was not acknowledged arrives again, which changes nothing.
    private mutating func renew() {
        if let sealed, sealed.number == stored.number { stored.changes -= sealed.changes }
        unseal()
        stored.number = 0
        switch underway[.pull] {
        case .pull, .fetchSchema, .recover:
            underway[.pull] = nil
            notBefore[.pull] = nil
            isFollowing = false
        default: break
        }
    }

    private mutating func seal() -> UInt64? {
        if sealed != nil { violations.append("2: sealed over a push that is not acknowledged") }
        guard unsealed > 0 else { return nil }
        let push = Seal(number: stored.number + 1, bytes: random.next(), changes: min(unsealed, changesPerPush))
        unsealed -= push.changes
        sealed = push
        return push.number
    }

    /// Stores a push on the server.
    private mutating func store() -> UInt64 {
        storings.now += 1
        guard let sealed else {
            violations.append("2: sends without a sealed push")
            return 0
        }
        if sealed.number == stored.number {
            if sealed.bytes != stored.bytes { violations.append("2: number \(sealed.number) with other bytes") }
        } else {
            if sealed.number != stored.number + 1 { violations.append("2: number \(sealed.number) out of order") }
            stored = Seal(number: sealed.number, bytes: sealed.bytes, changes: stored.changes + sealed.changes)
        }
        return sealed.number
    }

    /// Records an action of the session.
    private mutating func take(_ action: SyncAction) {
        if action == .finish(.upToDate), isGone { violations.append("11: ends without a checkpoint") }
        guard let lane = action.lane else { return }
        if case .pull = action { (isPageOld, prefetched) = (false, nil) }
        if case .applyPage(prefetches: true) = action { prefetched = storings.now }
        if case .sendPush(_, pulls: true, _) = action { isPageOld = false }
        let givesWay =
            if case .pull(waitSeconds: 1...) = underway[lane], action == .pull(waitSeconds: 0) { true } else { false }
        if underway[lane] != nil, !givesWay { violations.append("1: two actions of the \(lane) lane") }
        if let moment = notBefore[lane], now < moment { violations.append("5: \(lane) at \(now) before \(moment)") }
        if case .sendPush(let number, _, _) = action, number != sealed?.number { violations.append("2: other number") }
        notBefore[lane] = nil
        underway[lane] = action
    }
}
