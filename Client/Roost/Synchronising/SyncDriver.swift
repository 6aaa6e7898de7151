package import Replica
internal import RoostModel
package import RoostProtocol
package import Session

/// Joins one replica to its ``SyncSession``, without network, threads or timers.
///
/// The driver does itself whatever needs only the replica, and returns an ``Order`` for whatever needs the server. Its owner sends the
/// orders, and reports each result and each other ``SyncEvent`` with ``handle(_:at:)``. ``Synchronizer`` does so over the network; a
/// simulation can do so in one thread.
///
///     var order = try driver.start(at: now)
///     while let next = order { order = driver.handle(.received(next, await send(next)), at: now) }
///
/// A driver belongs to one session. It cannot be copied: each access to a driver in an object would copy it.
package struct SyncDriver: ~Copyable {
    let replica: Replica
    let limits: ExchangeLimits
    /// Drawn at random, for the session and for nonces.
    let seed: UInt64
    var session: SyncSession
    var orders = OrderBook()
    var push = PushInFlight()
    var uplink: Uplink
    var pull: PullInFlight
    var tokens = DeviceTokens()
    var changes = LocalChanges()
    var contact: Contact
    var names = DeviceNames()
    var upkeep: Upkeep
    /// The state of the replica, from ``look()`` until the session starts.
    var found: SessionStart?
    /// Why the replica may not synchronise at all.
    var refusal: SyncFailure?
    /// The work done so far. The report is complete once ``outcome`` is set.
    package internal(set) var report = SyncReport()

    /// - Parameters:
    ///   - seed: To be drawn at random; see ``SyncSession/init(_:seed:)``.
    ///   - wallClock: Milliseconds since 1970, for `roost status`.
    ///   - observe: Called with each new state, in order.
    package init(
        _ replica: Replica, _ mode: SyncMode, seed: UInt64, limits: Limits = Limits(), bounds: SyncBounds = .init(),
        wallClock: @escaping @Sendable () -> Int64, observe: @escaping @Sendable (SyncState) -> Void = { _ in }
    ) {
        self.replica = replica
        self.limits = ExchangeLimits(limits)
        self.seed = seed
        uplink = Uplink(ceiling: self.limits.push.bytesPerPush)
        pull = PullInFlight(bytesMax: bounds.fileBytesMax)
        contact = Contact(wallClock, observe)
        upkeep = Upkeep(mode)
        session = SyncSession(mode, seed: seed)
    }

    // MARK: A synchronisation, step by step

    /// Effect of an action or of an answer.
    enum Step {
        /// The replica was all that was needed; the session's next action.
        case next(SyncAction)
        /// The server is needed. The request has the present token, if no other one is given.
        case order(Request, token: String? = nil)
    }

    /// Carries out one action of the session, which decides what comes next.
    private mutating func step(_ action: SyncAction, at now: Moment) throws -> Step {
        switch action {
        // Push: pending changes are sealed and sent. They leave the outbox once the server has answered.
        case .sealPush: .next(try sealPush(at: now))
        case .sendPush(let number, let pulls): .order(try requestToPush(number, pulls: pulls))
        case .acknowledge: .next(try acknowledge(at: now))
        // Pull: pages are requested and applied one after another. The last one is compared with the server's digest.
        case .pull(let seconds): .order(try requestToPull(waitSeconds: seconds))
        case .fetchSchema(let version): .order(requestSchema(version))
        case .applyPage: .next(try applyPage(at: now))
        // Refused push: its changes get other stamps, the replica another identity, or the refused transaction is set aside.
        case .restamp(let serverTime): .next(try restamp(serverTime, at: now))
        case .renew(let cause): .order(try requestToRenew(cause))
        case .divide(let number, let isTooLarge): .next(try divide(number, isTooLarge: isTooLarge, at: now))
        case .setAside(let number, let reason): .next(try setAside(number, reason, at: now))
        // Restored or unequal server: everything is pulled, and records that it has lost are sent back.
        case .pullAnew(let reason): .next(try pullAnew(reason, at: now))
        case .recover: try recover(at: now)
        case .giveUp(let mayWrite): .next(try giveUp(mayWrite: mayWrite, at: now))
        // Idle, or at its end.
        case .wait, .finish: .next(action)
        }
    }

    /// Carries out actions of the session until there is something to send or to wait for.
    mutating func perform(_ first: SyncAction, at now: Moment) -> Order? {
        var action = first
        while let lane = action.lane {
            do {
                if let refusal { throw refusal }
                switch try step(action, at: now) {
                case .next(let next): action = next
                case .order(let request, let token):
                    publish(at: now)
                    return send(request, lane, token: token, at: now)
                }
            } catch {
                action = session.failed(lane, SyncFailure(ofReplica: error), at: now)
            }
        }
        if case .finish(let outcome) = action { report.finish(outcome, digest: try? replica.digest()) }
        publish(at: now)
        return nil
    }

    // MARK: Start

    /// Likely first request of a session: a push that takes long to seal.
    package struct Opening: Hashable, Sendable {
        package let since: [UInt8]
        package let token: String
    }

    /// Reads the state of the replica, for ``start(at:)`` that follows.
    ///
    /// - Returns: The likely first request, where it takes a while until the session can make it; `nil` elsewhere.
    /// - Throws: `ReplicaError` where the replica cannot be read.
    package mutating func look() throws -> Opening? {
        note(try replica.checkOutboxNowAndThen())
        let start = try replica.sessionStart()
        found = start
        guard start.hasManyWaiting, start.sealedPush == nil, !start.isCopy, start.refusal == nil,
            let checkpoint = try replica.startOfPull().checkpoint
        else { return nil }
        return Opening(since: checkpoint, token: start.token)
    }

    /// Starts the session, once.
    ///
    /// - Throws: `ReplicaError` where the replica cannot be read; nothing has started then.
    package mutating func start(at now: Moment) throws -> Order? {
        if found == nil { _ = try look() }
        guard let start = found else { return nil }
        found = nil
        tokens.begin(start)
        changes.seen = start.commits
        refusal = start.refusal.map { SyncFailure(ofReplica: $0) }
        names.begin(start)
        return perform(
            session.started(OutboxState(start), isCopy: start.isCopy, schemaVersion: start.schemaVersion, at: now),
            at: now)
    }

    // MARK: Events

    /// Lets the session react to an event.
    ///
    /// - Returns: A request to send. It replaces the one of its lane, whose result is ignored from then on.
    package mutating func handle(_ event: SyncEvent, at now: Moment) -> Order? {
        switch event {
        case .localChange:
            changes.isReported = true
            let order = perform(session.localChange(at: now), at: now)
            // A push that was sealed at once contains all that is committed. Otherwise the outbox is searched later, together with
            // whatever is committed until then.
            if changes.isReported { changes.markSeen(replica) }
            return order
        case .fileChanged:
            guard changes.hasNew(replica, holding: push.sealed?.number) else { return nil }
            changes.isReported = true
            return perform(session.localChange(at: now), at: now)
        case .wake: return perform(session.wake(at: now), at: now)
        case .timerFired: return perform(session.timerFired(at: now), at: now)
        case .received(let order, let result): return receive(result, of: order, at: now)
        case .timeIsOver(let limit):
            return perform(session.timeIsOver(report.timeIsOver(limit, session.status), at: now), at: now)
        case .stop: return perform(session.stop(at: now), at: now)
        }
    }

    /// How the session ended; `nil` until then. Results of orders are ignored afterwards.
    package var outcome: SyncOutcome? { session.outcome }

    /// Whether the result of an order is still to be reported.
    package func awaits(_ order: Order) -> Bool { outcome == nil && orders.awaits(order) }

    /// Time at which to report ``SyncEvent/timerFired`` if nothing else happens before; `nil` for never.
    package var deadline: Moment? { outcome == nil ? session.deadline : nil }

    mutating func send(_ request: Request, _ lane: SyncLane, token: String?, at now: Moment) -> Order {
        if lane == .push { push.send(at: now) }
        return orders.order(request, lane, token: token ?? tokens.present)
    }

    private mutating func publish(at now: Moment) {
        let state = session.status
        guard contact.report(state, replica, at: now) else { return }
        let isWaiting = if case .upToDate = state { outcome == nil } else { false }
        replica.sealWrites(within: isWaiting ? pushLimits : nil)
    }

    /// The limits of the next pushes.
    var pushLimits: PushLimits {
        var push = limits.push
        if let most = uplink.limit.most { push.bytesPerPush = min(push.bytesPerPush, most) }
        return push
    }
}

// MARK: State

extension SyncDriver {
    /// The device token in force: a secret.
    package var token: String { tokens.present }

    /// The former token, while it is not known whether a rotation has reached the server.
    var earlierToken: String? { tokens.earlier }

    /// Whether a device's name or this one's role is not known. The program that drives the session may ask the server, and resets it.
    package var wantsDevices: Bool {
        get { names.areWanted }
        set { names.areWanted = newValue }
    }

    /// Whether this device may only read, as far as is known.
    package var isViewer: Bool {
        get { names.isViewer }
        set { names.isViewer = newValue }
    }

    /// Since when local changes wait for user action; `nil` where they do not.
    package var blockedSince: Moment? { if case .blocked(_, let since) = session.status { since } else { nil } }

    /// Whether the session is idle: nothing is to be pushed or pulled, as far as is known, or nothing can be done about it now.
    package var isAtRest: Bool { ![.pushing, .pulling, .notRunning].contains(session.status) }

    /// See ``PushInFlight/steps``.
    var pushSteps: Int { push.steps }
}
