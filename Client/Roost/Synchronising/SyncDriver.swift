package import Replica
internal import RoostModel
package import RoostProtocol
package import Session

/// Joins one replica to its ``SyncSession``, without network, threads or timers.
///
/// The driver carries out all work that needs only the replica, and returns an ``Order`` for each request to the server. Its owner sends
/// the orders, and reports each result and each other ``SyncEvent`` with ``handle(_:at:)``. A request may go ahead of work on the
/// replica: the owner sends it, and then calls ``resume(at:)``. ``Synchronizer`` does so over the network; a simulation can do so in one
/// thread.
///
///     func carryOut(_ order: SyncDriver.Order?) {
///         if let order { send(order) { carryOut(driver.handle(.received(order, $0), at: now)) } }
///         if driver.isUnfinished { carryOut(driver.resume(at: now)) }
///     }
///     carryOut(try driver.start(at: now))
///
/// A driver belongs to one session. It cannot be copied: each access to a driver in an object would copy it.
package struct SyncDriver: ~Copyable {
    let replica: Replica
    let limits: ExchangeLimits
    /// A random value, for the session and for nonces.
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
    /// The reason why the replica must not synchronise; `nil` if it may.
    var refusal: SyncFailure?
    /// Whether the replica lets local writes seal themselves.
    private var sealsLocalWrites = false
    /// The action that ``resume(at:)`` carries out, after a request that goes ahead of it.
    private var unfinished: SyncAction?
    private let manyChanges: Int
    /// The work done so far. The report is complete once ``outcome`` is set.
    package internal(set) var report = SyncReport()

    /// - Parameters:
    ///   - seed: A random value; see ``SyncSession/init(_:seed:)``.
    ///   - manyChanges: The number of pending changes from which a connection is opened while they are sealed.
    ///   - wallClock: Milliseconds since 1970, for `roost status`.
    ///   - observe: Called with each new state, in order.
    package init(
        _ replica: Replica, _ mode: SyncMode, seed: UInt64, limits: Limits = Limits(), bounds: SyncBounds = .init(),
        manyChanges: Int = SessionStart.manyWaiting, wallClock: @escaping @Sendable () -> Int64,
        observe: @escaping @Sendable (SyncState) -> Void = { _ in }
    ) {
        self.replica = replica
        self.limits = ExchangeLimits(limits)
        self.seed = seed
        self.manyChanges = manyChanges
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
        case .sendPush(let number, let pulls, let isPreconnected):
            .order(try requestToPush(number, pulls: pulls, isPreconnected: isPreconnected))
        case .acknowledge(_, let appliesPage): .next(try acknowledge(appliesPage: appliesPage, at: now))
        // Pull: pages are requested and applied one after another. The last one is compared with the server's digest.
        case .pull(let seconds): .order(try requestToPull(waitSeconds: seconds))
        case .fetchSchema(let version): .order(requestSchema(version))
        case .applyPage: .next(try applyPage(at: now))
        // Refused push: its changes get other stamps, the replica another identity, or the refused transaction is set aside.
        case .restamp(let serverTime): .next(try restamp(serverTime, at: now))
        case .renew(let cause): .order(try requestToRenew(cause))
        case .divide(let number, let isTooLarge): .next(try divide(number, isTooLarge: isTooLarge, at: now))
        case .setAside(let number, let reason): .next(try setAside(number, reason, at: now))
        // Restored server, or unequal digests: everything is pulled, and records that the server has lost are sent back.
        case .resynchronise(let reason): .next(try resynchronise(reason, at: now))
        case .recover: try recover(at: now)
        case .giveUp(let mayWrite): .next(try giveUp(mayWrite: mayWrite, at: now))
        // Idle, or at its end.
        case .wait, .finish: .next(action)
        }
    }

    /// Makes the request that goes ahead of an action. The server and the network work while the action is carried out.
    private mutating func requestAhead(of action: SyncAction) throws -> Request? {
        switch action {
        case .sealPush(preconnects: true): try requestToConnect()
        case .applyPage(prefetches: true): try requestToPrefetch()
        default: nil
        }
    }

    /// Carries out actions of the session until there is something to send or to wait for.
    mutating func perform(_ first: SyncAction, at now: Moment) -> Order? {
        var action = first
        while let lane = action.lane {
            do {
                if let refusal { throw refusal }
                if let request = try requestAhead(of: action) {
                    unfinished = action.alone
                    publish(at: now)
                    return send(request, lane, token: nil, at: now)
                }
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
        if case .finish(let outcome) = action {
            if report.beaten > 0 { report.beaten = (try? replica.countBeaten(last: report.beaten)) ?? report.beaten }
            report.finish(outcome, digest: try? replica.digest())
        }
        publish(at: now)
        return nil
    }

    // MARK: Start

    /// Starts the session, once.
    ///
    /// - Throws: `ReplicaError` where the replica cannot be read; nothing has started then.
    package mutating func start(at now: Moment) throws -> Order? {
        note(try replica.checkOutboxNowAndThen())
        let start = try replica.sessionStart(manyWaiting: manyChanges)
        tokens.begin(start)
        changes.seen = start.commits
        refusal = start.refusal.map { SyncFailure(ofReplica: $0) }
        names.begin(start)
        return perform(
            session.started(OutboxState(start), isCopy: start.isCopy, schemaVersion: start.schemaVersion, at: now),
            at: now)
    }

    // MARK: Events

    /// Whether a step is unfinished because its request goes ahead of the work that only needs the replica. The owner sends that
    /// request and calls ``resume(at:)``, before it reports any event.
    package var isUnfinished: Bool { unfinished != nil }

    /// Continues an unfinished step.
    ///
    /// - Returns: Another request to send.
    package mutating func resume(at now: Moment) -> Order? {
        guard let action = unfinished else { return nil }
        unfinished = nil
        return perform(action, at: now)
    }

    /// Lets the session react to an event.
    ///
    /// - Returns: A request to send. It replaces the one of its lane, whose result is ignored from then on.
    package mutating func handle(_ event: SyncEvent, at now: Moment) -> Order? {
        precondition(!isUnfinished, "A step is resumed before the next event")
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

    /// The end of the session; `nil` while it runs. Results of orders are ignored afterwards.
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
        // A page that was requested ahead is obsolete where the page before it was not applied.
        if pull.isAhead, !session.expectsPage {
            orders.close(.pull)
            pull.endRequest()
        }
        contact.report(session.status, replica, at: now)
        guard session.sealsLocalWrites != sealsLocalWrites else { return }
        sealsLocalWrites.toggle()
        replica.sealWrites(within: sealsLocalWrites ? pushLimits : nil)
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

    /// The former token, while a rotation may not have reached the server.
    var earlierToken: String? { tokens.earlier }

    /// Whether a device's name or this device's role is missing. The owner of the driver may ask the server, and resets it.
    package var wantsDevices: Bool {
        get { names.areWanted }
        set { names.areWanted = newValue }
    }

    /// Whether this device may only read, according to the cached role.
    package var isViewer: Bool {
        get { names.isViewer }
        set { names.isViewer = newValue }
    }

    /// The time since which local changes wait for user action; `nil` where none do.
    package var blockedSince: Moment? { if case .blocked(_, let since) = session.status { since } else { nil } }

    /// Whether the session is idle: nothing is known to be pending, or it waits before a retry.
    package var isAtRest: Bool { ![.pushing, .pulling, .notRunning].contains(session.status) }
}
