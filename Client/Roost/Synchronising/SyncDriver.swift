internal import Foundation
package import Replica
internal import RoostModel
package import RoostProtocol
package import Session

/// Joins one replica to its ``SyncSession``, without network, threads or timers: each event is done with here as far as
/// only the replica is needed, and what needs the server comes out as an ``Order``.
///
/// Whoever drives it sends the orders, reports each answer with ``received(_:_:at:)``, and calls ``timerFired(at:)`` at
/// ``deadline``. ``Synchronizer`` does so over the network; a simulation can do so in one thread.
///
/// There is one for a session, and it is not copied: each question that was put to a driver held by an object made a copy of it.
package struct SyncDriver: ~Copyable {
    /// A pull that was sent.
    private struct Pull {
        /// What ``pushSteps`` was.
        var step: Int
        /// Whether no push was under way.
        var isQuiet: Bool
    }

    /// How often a page waits for pushes: one that gets no answer must not keep what others do away for good.
    private static let timesOvertakenMax = 3

    let replica: Replica
    let limits: PushLimits
    /// Bytes of records up to which a reply to a push has left none out.
    private let currentBytesSure: Int
    private let recordsPerRecover: Int
    let seed: UInt64
    let wallClock: @Sendable () -> Int64
    let observe: @Sendable (SyncState) -> Void

    var session: SyncSession
    /// Where the replica stands, from a look until the session starts.
    var found: SessionStart?
    /// The device token in force: a secret.
    package internal(set) var token = ""
    /// The token before, while it is not known whether a rotation has reached the server.
    var earlierToken: String?
    /// The tokens that the server is asked about after it has refused the present one.
    var tokenSearch: TokenSearch?
    /// How many orders were given, and the last of each lane.
    private(set) var orders = 0
    private var current: [SyncLane: Int] = [:]
    var renewalCause = RenewalCause.copied
    private var recovering: [RecordState] = []
    /// The push that is sealed, and sent or to be sent next.
    private(set) var sealed: NextPush?
    var bodyLimit: BodyLimit
    /// The bytes to which sealed pushes were made smaller or larger last.
    var packedBytes: Int?
    /// Whether a push was answered in this session.
    private(set) var isFirstAnswered = false
    /// When the push that is under way was sent.
    private var pushSent = Moment(milliseconds: 0)
    /// Whether the server says if it has stored a push; earlier servers do not.
    var serverKnowsPushes = true
    /// The last failure of a request that a smaller one may cure.
    var interruption: SyncFailure?
    /// The push that was interrupted, as long as the server has not said whether it has stored it.
    var unsureNumber: UInt64?
    /// Whether something else has failed since ``interruption``: the way to the server may be another one by now.
    var isInterruptionOld = false
    /// Whether the push under way was just divided, so that no earlier attempt of it can have been stored.
    var isDivided = false
    /// Whether a program has written since something to push was last looked for.
    var hasLocalChange = false
    /// What others had committed when this was last told of local changes, or has looked for them itself.
    var seen: ForeignCommits?
    /// The checkpoint that the step before this one, which sealed a push, has read anyway.
    private var checkpointRead: [UInt8]?
    private var reply: PushReply?
    /// Changes that the server keeps until the rest of their transaction arrives.
    private var staged = 0
    private var page: PullReply?
    /// The checkpoint that the page follows which waits or is under way.
    private var pageStart = PageStart.anywhere
    private var schemaVersion = 0
    /// Why the replica may not synchronise at all.
    var refusal: SyncFailure?
    /// Counts what a push changes here or on the server: while it stands still, both sides can be compared.
    package internal(set) var pushSteps = 0
    /// Whether the page that waits came with a reply that is not written down yet.
    private var cameWithReply = false
    /// The pull that waits or is applied now, as it was when it was sent.
    private var asked: Pull?
    /// What the page that waits did, where it was taken in with the reply that it came with.
    private var taken: (checkpoint: [UInt8], report: ApplyReport)?
    /// How many pages in a row were not taken in because of the records that they say were purged.
    private var timesOvertaken = 0
    var published: SyncState?
    /// Whether what was taken in last, a page or a reply, has noted the contact with itself.
    var hasNoted = false
    /// Whether the journal was looked at for entries that are too old.
    private var hasShortened = false
    private var scrubbing: Scrubbing
    private var bounds: PullBounds
    /// The devices whose names are known; `nil` before the first look.
    var devices: Set<ReplicaID>?

    /// What was done so far; complete once ``outcome`` is there.
    package internal(set) var report = SyncReport()
    /// Whether a device's name or this one's role is not known; whoever drives this may ask the server, and then sets it back.
    package var wantsDevices = false
    /// Whether this device may only read, as it was last heard.
    package var isViewer = false

    /// - Parameters:
    ///   - seed: To be drawn at random; see ``SyncSession/init(_:seed:)``.
    ///   - wallClock: Milliseconds since 1970, for what `roost status` says.
    ///   - observe: Called with each new state, in order.
    package init(
        _ replica: Replica, _ mode: SyncMode, seed: UInt64, limits: Limits = Limits(), bounds: SyncBounds = .init(),
        wallClock: @escaping @Sendable () -> Int64, observe: @escaping @Sendable (SyncState) -> Void = { _ in }
    ) {
        self.replica = replica
        self.limits = PushLimits(limits)
        bodyLimit = BodyLimit(ceiling: self.limits.bytesPerPush)
        // The next one might not have found room.
        currentBytesSure = limits.currentBytesMax - limits.putBytesMax - 1024
        recordsPerRecover = limits.recordsPerRecoverMax
        self.seed = seed
        self.wallClock = wallClock
        self.observe = observe
        scrubbing = Scrubbing(mode)
        self.bounds = PullBounds(bytesMax: bounds.fileBytesMax)
        session = SyncSession(mode, seed: seed)
    }

    /// How the session ended; `nil` until then. Orders that are under way are then of no use.
    package var outcome: SyncOutcome? { session.outcome }

    /// Whether the answer to an order is of use.
    package func awaits(_ order: Order) -> Bool { outcome == nil && current[order.lane] == order.number }

    /// When to call ``timerFired(at:)`` if nothing else happens before; `nil` for never.
    package var deadline: Moment? { outcome == nil ? session.deadline : nil }

    // MARK: Events

    /// What came of an order; nothing is done where another has taken its place.
    package mutating func received(
        _ order: Order, _ result: Result<Answer, SyncFailure>, at now: Moment
    ) -> Order? {
        let lane = order.lane
        guard awaits(order) else { return nil }
        current[lane] = nil
        let action: SyncAction
        // A token that is discarded for the one before it is no refusal of this device.
        let result = judgeToken(order, result)
        noteRefusal(result.failure)
        switch result {
        case .failure(let failure) where searchesToken(after: failure, order):
            // Where a new identity is asked for anyway, that is asked for with another token.
            if case .renew = order.request, let question = tokenSearch?.request { return send(question, lane, at: now) }
            action = session.forgotten(lane, failure, at: now)
        case .success(.foundToken(let index)):
            switch foundToken(index, lane, at: now) {
            case .order(let order): return order
            case .failed(let failure): action = session.failed(lane, failure, at: now)
            }
        case .success(.push(let answer)) where !settles(answer, order.request):
            action = session.failed(.push, .invalidReply(message: Self.unsettled), at: now)
        case .success(.push(let answer)):
            reply = answer
            (unsureNumber, isDivided) = (nil, false)
            bodyLimit.answered(after: pushSent.duration(to: now))
            action = session.pushReplied(to: answer.number, page: takeShared(answer, order.request), at: now)
        case .success(.pull(let answer)):
            let reason = bounds.refuse(answer)
            if reason == nil { page = answer }
            action =
                reason.map { session.failed(.pull, .limitReached($0), at: now) }
                ?? session.pulled(PageSummary(answer, since: pageStart.checkpoint), at: now)
        case .success(.schema(let text)):
            action = writing(lane, at: now) { driver throws in
                try driver.replica.keepSchema(text, version: driver.schemaVersion)
                try driver.replica.checkVersion()
                return driver.session.schemaFetched(at: now)
            }
        case .success(.renewed(let registration)):
            action = writing(lane, at: now) { driver throws in
                try driver.renew(as: registration, with: order.token)
                return driver.session.renewed(at: now)
            }
        case .success(.recovered(let answer)):
            action = writing(lane, at: now) { driver throws in
                try driver.replica.broughtBack(driver.recovering, purged: answer.purged)
                driver.report.broughtBack += driver.recovering.count { !answer.purged.contains($0.key) }
                return driver.session.recovered(hasMore: try driver.replica.lostCount() > 0, at: now)
            }
        case .success(.pushIsNotStored), .success(.pushIsUnknown), .failure:
            do {
                if let request = try requestInstead(of: order.request, result) { return send(request, lane, at: now) }
                action = session.failed(lane, result.failure ?? interruption ?? .timedOut(message: ""), at: now)
            } catch {
                action = session.failed(lane, SyncFailure(ofReplica: error), at: now)
            }
        }
        return perform(action, at: now)
    }

    /// Keeps the page that came with the reply to a push. One that was not asked for may follow another checkpoint.
    private mutating func takeShared(_ answer: PushReply, _ request: Request) -> PageSummary? {
        guard case .pushAndPull = request, let shared = answer.page else { return nil }
        page = shared
        cameWithReply = true
        asked = Pull(step: pushSteps, isQuiet: false)
        return PageSummary(shared, since: pageStart.checkpoint)
    }

    /// Takes an answer into the replica; what fails becomes an event too.
    private mutating func writing(
        _ lane: SyncLane, at now: Moment, _ body: (inout SyncDriver) throws -> SyncAction
    ) -> SyncAction {
        do {
            return try body(&self)
        } catch {
            return session.failed(lane, SyncFailure(ofReplica: error), at: now)
        }
    }

    private mutating func renew(as registration: Registration, with used: String) throws {
        let reason = renewalCause.words
        try checkScope(of: registration)
        try replica.renew(
            as: registration.replica, token: registration.token, with: used, role: registration.role.rawValue,
            reason: reason)
        (token, earlierToken) = (registration.token, nil)
        // What was asked under the old identity is of no use: the server leaves out what that one wrote.
        current[.pull] = nil
        (page, taken) = (nil, nil)
        (sealed, reply, staged, unsureNumber) = (nil, nil, 0, nil)
        pushSteps += 1
        report.notices.append("\(reason) It has a new identity now; nothing was lost.")
    }

    // MARK: Actions

    private enum Step {
        /// What the session says to the event that the action ended with.
        case next(SyncAction)
        case order(Request)
    }

    /// Does what the replica alone is needed for, until there is something to send or to wait for.
    mutating func perform(_ first: SyncAction, at now: Moment) -> Order? {
        var action = first
        while true {
            let lane: SyncLane
            switch action {
            case .wait:
                checkpointRead = nil
                publish(at: now)
                return nil
            case .finish(let outcome):
                finish(outcome)
                publish(at: now)
                return nil
            case .sealPush, .sendPush, .acknowledge, .restamp, .renew, .divide, .setAside: lane = .push
            case .pull, .applyPage, .fetchSchema, .pullAnew, .recover, .giveUp: lane = .pull
            }
            if let refusal {
                action = session.failed(lane, refusal, at: now)
                continue
            }
            do {
                switch try step(action, at: now) {
                case .next(let next): action = next
                case .order(let request):
                    publish(at: now)
                    return send(request, lane, at: now)
                }
            } catch {
                action = session.failed(lane, SyncFailure(ofReplica: error), at: now)
            }
        }
    }

    mutating func send(_ request: Request, _ lane: SyncLane, with other: String? = nil, at now: Moment) -> Order {
        if lane == .push { pushSent = now }
        orders += 1
        current[lane] = orders
        return Order(number: orders, lane: lane, request: request, token: other ?? request.token ?? token)
    }

    /// Another push has the number of the one that was sealed.
    mutating func hold(_ push: NextPush) {
        sealed = push
        pushSteps += 1
        cameWithReply = false
    }

    private mutating func step(_ action: SyncAction, at now: Moment) throws -> Step {
        let checkpointRead = checkpointRead
        self.checkpointRead = nil
        switch action {
        case .sealPush:
            guard try seal() != .leftParts else { return .next(session.leftParts(at: now)) }
            self.checkpointRead = sealed?.checkpoint
            return .next(session.sealed(sealed?.number, isLast: sealed?.isLast ?? false, at: now))
        case .sendPush(let number, let pulls):
            // After a restart, the sealed push is read back.
            if sealed == nil { try seal() }
            guard let sealed, sealed.number == number else { throw ReplicaError(sealedPushIsGone: number) }
            pushSteps += 1
            cameWithReply = false
            if unsureNumber == number {
                isInterruptionOld = true
                return .order(.pushReply(number: number, hash: SHA256Digest.of(sealed.body)))
            }
            guard pulls else { return .order(.push(sealed.body)) }
            pageStart = try checkpointRead.map { .checkpoint($0) } ?? replica.startOfPull()
            return .order(.pushAndPull(sealed.body, since: pageStart.checkpoint))
        case .acknowledge:
            try acknowledge()
            return .next(session.acknowledged(at: now))
        case .restamp(let serverTime):
            try replica.restamp(serverTime: serverTime)
            sealed = nil
            return .next(session.restamped(at: now))
        case .renew(let cause):
            renewalCause = cause
            if cause == .forgotten, let question = tokenSearch?.request { return .order(question) }
            return .order(.renew(reason: cause.words, nonce: try replica.renewalNonce(fresh: freshNonce)))
        case .divide(let number, let isTooLarge):
            let isSmaller = try replica.dividePush(number, isTooLarge: isTooLarge)
            if isSmaller { sealed = nil }
            return .next(session.divided(isSmaller, at: now))
        case .setAside(let number, let reason):
            let changes = try replica.setAside(number, reason: reason)
            sealed = nil
            noteCheckpoint()
            report.refused += changes
            report.notices.append("A transaction of \(changes) changes was set aside: \(reason)")
            return .next(session.wasSetAside(at: now))
        case .pull(let seconds):
            cameWithReply = false
            asked = Pull(step: pushSteps, isQuiet: try replica.sealedPushNumber() == nil)
            pageStart = try replica.startOfPull()
            return .order(.pull(since: pageStart.checkpoint, waitSeconds: seconds))
        case .applyPage:
            guard let check = try applyPage(at: now) else { return .next(session.overtaken(at: now)) }
            noteFoundChanges()
            return .next(session.applied(check, at: now))
        case .fetchSchema(let version):
            schemaVersion = version
            return .order(.schema)
        case .pullAnew(let reason):
            try replica.pullAnew(reason)
            return .next(session.startedAnew(at: now))
        case .recover:
            recovering = try replica.nextLost(limit: recordsPerRecover, bytesMax: pushLimits.bytesPerPush)
            guard !recovering.isEmpty else { return .next(session.recovered(hasMore: false, at: now)) }
            return .order(.recover(recovering))
        case .giveUp(let mayWrite):
            let (journaled, renewed) = try replica.giveUpLost(mayWrite: mayWrite)
            report.lost += journaled
            report.notices.append(
                "The server was restored from an older copy and takes nothing back: \(renewed) records of this device are "
                    + "sent anew, \(journaled) changes are in the journal.")
            return .next(session.gaveUp(at: now))
        case .wait, .finish: return .next(action)
        }
    }

    @discardableResult
    private mutating func seal() throws -> Sealed {
        var damage: OutboxDamage?
        let reason: SealingReason = hasLocalChange ? .localChange : .look
        hasLocalChange = false
        let result = try replica.sealPushes(limits: pushLimits, after: reason, seen: &seen) { damage = $0 }
        sealed = result.push
        if reason == .look { try joinSmallPushes() }
        note(damage)
        return result
    }

    private mutating func acknowledge() throws {
        if let reply, let number = sealed?.number {
            // A push of a session in trouble may be well while its pulls are not.
            let isContact = published.map { !$0.isTrouble } ?? false
            let shared = emptyPage
            let done = try replica.acknowledge(
                number, reply.results, current: reply.current,
                isWhole: reply.current.reduce(0) { $0 + $1.protobuf().count } <= currentBytesSure, isContact: isContact,
                with: shared)
            report.beaten += done.beaten
            // The page of an earlier push may still wait, while a later one goes first.
            if let shared, let page = done.page { taken = (shared.checkpoint, page) }
            hasNoted = isContact || done.page != nil
            if reply.results.contains(where: { if case .refused = $0 { true } else { false } }) { noteCheckpoint() }
            noteAuthors(reply.current)
            count(reply, try sealed?.transactionSizes() ?? [])
        }
        pushSteps += 1
        // The server has read the page after the push: now that the reply is written down, they can be compared.
        if cameWithReply { asked = Pull(step: pushSteps, isQuiet: true) }
        cameWithReply = false
        (sealed, reply, isFirstAnswered) = (nil, nil, true)
    }

    /// The page that came with the reply, where it brings nothing but the place where the next one goes on.
    private var emptyPage: EmptyPage? {
        guard cameWithReply, let page, page.records.isEmpty, page.purged.isEmpty, !page.hasMore,
            let since = pageStart.checkpoint
        else {
            return nil
        }
        return EmptyPage(since: since, checkpoint: page.checkpoint.bytes, serverTime: page.serverTime)
    }

    /// - Parameter changeCounts: How many changes each transaction of the push has.
    private mutating func count(_ reply: PushReply, _ changeCounts: [Int]) {
        for (result, changes) in zip(reply.results, changeCounts) {
            // Parts that waited share the fate of the rest of their transaction.
            let count = changes + staged
            staged = 0
            switch result {
            case .accepted(_, let outcomes):
                report.pushed += count
                report.beaten += outcomes.count { $0.kind == .beaten }
            case .staged: staged = count
            case .refused: report.refused += count
            }
        }
    }

    /// Whether a push overlaps the pull whose page names purged records: it is not known whether what it stored is what was purged, or was
    /// made anew after that (protocol.md §7.2).
    private mutating func isOvertaken(_ page: PullReply) -> Bool {
        guard !page.purged.isEmpty, let asked, asked.step != pushSteps || session.isPushUnheard,
            timesOvertaken < Self.timesOvertakenMax
        else {
            timesOvertaken = 0
            return false
        }
        timesOvertaken += 1
        return true
    }

    /// - Returns: `nil` where the page cannot be taken in, and has to be asked for again.
    private mutating func applyPage(at now: Moment) throws -> DigestCheck? {
        guard let page else { return .notCompared }
        self.page = nil
        guard !isOvertaken(page) else { return nil }
        try bounds.requireRoom(for: page, in: replica)
        let result =
            try reportOfTaken(page)
            ?? replica.apply(
                page.records, purged: page.purged, since: pageStart, checkpoint: page.checkpoint.bytes,
                serverTime: page.serverTime, isLast: !page.hasMore)
        guard !result.isOvertaken else { return nil }
        bounds.applied(result, of: page)
        if !page.hasMore { try removeOldEntries(at: page.serverTime) }
        report.pulled += result.applied
        report.beaten += result.beaten
        report.hidden += result.hidden
        report.shown += result.shown
        hasNoted = result.isNoted
        if result.applied > 0 { noteAuthors(page.records) }
        report.forgotten += result.forgotten
        report.corrected += result.corrected
        if let reason = result.pulledAnew { notePulledAnew(reason) }
        if result.journaled > 0 {
            report.notices.append(
                "\(result.journaled) changes that were made here are not on the server any more; the journal has them.")
        }
        if result.lost > 0 { return .serverLost }
        // protocol.md §7.5: a push that overlaps the pull may stand in one digest and not in the other.
        guard let digest = page.digest, let asked, asked.isQuiet, asked.step == pushSteps else {
            return .notCompared
        }
        guard digest == result.digest else { return .differs }
        guard result.isScrubDue else { return .matches }
        return try scrubbing.findsDamage(in: replica, at: now) ? .damaged : .matches
    }

    /// What a page did that was taken in with a reply, where the replica still stands at its end.
    private mutating func reportOfTaken(_ page: PullReply) throws -> ApplyReport? {
        defer { taken = nil }
        guard let taken, page.records.isEmpty, page.purged.isEmpty, taken.checkpoint == page.checkpoint.bytes,
            try replica.checkpoint() == taken.checkpoint
        else { return nil }
        return taken.report
    }

    /// Shortens the journal, once a session.
    private mutating func removeOldEntries(at serverTime: UInt64) throws {
        guard !hasShortened else { return }
        let removed = try replica.removeOldJournalEntries(at: serverTime)
        hasShortened = true
        if removed > 0 { report.notices.append("\(removed) old entries of the journal were removed.") }
    }
}
