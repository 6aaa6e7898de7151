internal import Foundation
internal import Glibc
package import Replica
internal import RoostModel
package import RoostProtocol
package import Session
internal import Transport

/// Drives one replica's ``SyncDriver`` over the network: sends what it orders, and tells it what came of it and when.
package actor Synchronizer {
    /// How long a push waits that the server refuses for a reason that only a person removes, before it is tried once more
    /// (decision 121).
    package static let blockedWait = Duration.seconds(15 * 60)
    /// How long a report waits for names of devices: a server that has just answered has them in a moment.
    private static let namesWait = Duration.seconds(5)

    /// How long nothing has to happen before the log is copied back: long enough for what has just been told to be on its way.
    private static let restPause = Duration.milliseconds(1)
    /// How long nothing happens before a log of any size is copied back: a copy of the file alone, as people make one, has all then.
    private static let idlePause = Duration.seconds(5)

    /// How soon a session goes on again that damage has ended again.
    private static let repairPause = Duration.seconds(3600)

    private let replica: Replica
    private let client: ServerClient
    private let blockedWait: Duration
    /// How long a session that runs once may take.
    private let timeMax: Duration?
    private let started = ContinuousClock.now

    /// The transport's thread: from an answer to the next request, no other has to wake.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        client.transport.executor.asUnownedSerialExecutor()
    }

    /// For each session a new one.
    private let makeDriver: @Sendable () -> SyncDriver
    private var driver: SyncDriver
    private var recognition: ServerRecognition
    /// Whether ``stop()`` was called, which may be between two sessions.
    private var isStopping = false
    private var tasks: [SyncLane: Task<Void, Never>] = [:]
    /// A page that was asked for before it was ordered.
    private var ahead: (asked: ReadAhead, task: Task<Result<SyncDriver.Answer, SyncFailure>, Never>)?
    /// A push that was begun before it was ordered.
    private var begun: PushAhead?
    private var timer: (deadline: Moment, task: Task<Void, Never>)?
    /// Whether a moment of rest is waited for.
    private var awaitsRest = false
    /// When the server was asked last, and whether a task waits for the pause after it. Files are watched in between.
    private var lastOrder = ContinuousClock.now
    private var awaitsIdleness = false
    private var idleStart = ContinuousClock.now
    /// Requests for the names of devices, under way and done.
    private var naming: [Task<Void, Never>] = []
    /// How many of them are under way.
    private var namesAwaited = 0
    private var waiters: [CheckedContinuation<SyncReport, Never>] = []

    /// - Parameters:
    ///   - blockedWait: After how long a blocked push is tried once more.
    ///   - observe: Called with each new state, in order.
    package init(
        _ replica: Replica, _ client: ServerClient, _ mode: SyncMode, limits: Limits = Limits(),
        bounds: SyncBounds = SyncBounds(), blockedWait: Duration = Synchronizer.blockedWait,
        observe: @escaping @Sendable (SyncState) -> Void = { _ in }
    ) {
        self.replica = replica
        self.client = client
        self.blockedWait = blockedWait
        timeMax = if case .once = mode { bounds.timeMax } else { nil }
        makeDriver = {
            SyncDriver(
                replica, mode, seed: UInt64.random(in: .min ... .max), limits: limits, bounds: bounds,
                wallClock: { Int64(Date().timeIntervalSince1970 * 1000) }, observe: observe)
        }
        driver = makeDriver()
        recognition = ServerRecognition(replica, client.server)
    }

    /// Runs the session to its end. One that ends because the file is damaged goes on: the file is repaired where that can be done, and
    /// else the look that has found the damage is not made again for some days.
    package func run() async -> SyncReport {
        var (report, reason) = await runSession()
        var last: Moment?
        while let damage = reason, last.map({ $0.advanced(by: Self.repairPause) <= now }) ?? true,
            repairs(damage, &report)
        {
            last = now
            driver = makeDriver()
            ahead = nil
            setTimer()
            let next = await runSession()
            (report, reason) = (next.report.after(report), next.reason)
        }
        return report
    }

    /// Repairs the file, if damage is why the session stopped.
    ///
    /// - Returns: Whether to go on with a session.
    private func repairs(_ reason: StopReason.Kind, _ report: inout SyncReport) -> Bool {
        guard [.replicaDamaged, .digestDiffers].contains(reason), !isStopping else { return false }
        do {
            let repair = try replica.repairInPlace()
            report.notices += repair?.notices ?? []
            return repair != nil || reason == .replicaDamaged
        } catch {
            report.notices.append("\(error)")
            return reason == .replicaDamaged
        }
    }

    /// - Returns: What it did, and why it stopped, if it did.
    private func runSession() async -> (report: SyncReport, reason: StopReason.Kind?) {
        do {
            if let opening = try driver.look() {
                begun = PushAhead(opening, client.transport)
                // The request has been handed to the transport, and goes out first: sealing keeps the transport's thread.
                await Task.yield()
            }
            carryOut(try driver.start(at: now))
        } catch {
            begun?.cancel()
            begun = nil
            var report = SyncReport()
            report.state = "\(error)"
            let code = (error as? ReplicaError)?.code
            report.isTemporary = code == .busy || code == .diskFull
            return (report, code == .corrupt ? .replicaDamaged : nil)
        }
        let result = await withCheckedContinuation { waiter in
            if driver.outcome != nil { waiter.resume(returning: driver.report) } else { waiters.append(waiter) }
        }
        await awaitNames()
        guard case .stopped(let reason) = driver.outcome else { return (result, nil) }
        return (result, reason.kind)
    }

    private func awaitNames() async {
        guard !naming.isEmpty else { return }
        let patience = Task {
            guard (try? await Task.sleep(for: Self.namesWait)) != nil else { return }
            cancelNaming()
        }
        for request in naming { await request.value }
        patience.cancel()
    }

    private func cancelNaming() {
        for request in naming { request.cancel() }
    }

    /// This program has written to the replica.
    package func wroteLocally() {
        guard driver.outcome == nil else { return }
        carryOut(driver.handle(.localChange, at: now))
    }

    /// A program may have written to the replica.
    package func localChange() {
        guard driver.outcome == nil else { return }
        carryOut(driver.handle(.fileChanged, at: now))
    }

    /// The network came back, or a person asks for an attempt now: waits end, and a blocked push is tried once more.
    package func wake() {
        guard driver.outcome == nil else { return }
        carryOut(driver.handle(.wake, at: now))
    }

    /// Whether a token is the one that the session asks with, or the one before it.
    func uses(_ token: String) -> Bool { token == driver.token || token == driver.earlierToken }

    package func stop() {
        isStopping = true
        carryOut(driver.handle(.stop, at: now))
        cancelNaming()
    }

    private var now: Moment {
        Moment(milliseconds: 0).advanced(by: ContinuousClock.now - started)
    }

    /// Sends what was ordered, and sees to what an event may have left to do: the end, the timer, names of devices.
    private func carryOut(_ order: SyncDriver.Order?) {
        if let order {
            lastOrder = .now
            tasks[order.lane]?.cancel()
            let asked = order.lane == .pull ? takeAhead(for: order) : takeBegun(for: order)
            tasks[order.lane] = Task(executorPreference: client.transport.executor) { [client] in
                let answer =
                    if let asked {
                        await withTaskCancellationHandler {
                            await asked.value
                        } onCancel: {
                            asked.cancel()
                        }
                    } else {
                        await client.answer(to: order)
                    }
                await self.received(order, answer)
            }
        }
        if driver.wantsDevices { learnDevices() }
        if driver.outcome != nil { finish() }
        setTimer()
        tidyAtRest()
    }

    /// Copies the replica's log back, however small, once nothing has happened for a while.
    private func tidyWhenIdle() {
        guard !awaitsIdleness, driver.outcome == nil, replica.isCopyingLog else { return }
        awaitsIdleness = true
        idleStart = .now
        Task { [weak self] in
            while let idleAt = await self?.nextIdleMoment() { try? await Task.sleep(until: idleAt) }
        }
    }

    /// - Returns: When to look again; `nil` where there is nothing to wait for any more.
    private func nextIdleMoment() -> ContinuousClock.Instant? {
        let idleAt = max(lastOrder, idleStart).advanced(by: Self.idlePause)
        guard driver.outcome != nil || idleAt <= .now else { return idleAt }
        awaitsIdleness = false
        // If it is busy, whatever ends that comes by again.
        if driver.outcome == nil, driver.isAtRest, replica.isLogUncopied { replica.copyLogAtRest() }
        return nil
    }

    /// Copies the replica's log back once there is nothing else to do.
    private func tidyAtRest() {
        tidyWhenIdle()
        guard !awaitsRest, driver.outcome == nil, driver.isAtRest, replica.isLogWorthCopying else { return }
        awaitsRest = true
        Task {
            try? await Task.sleep(for: Self.restPause)
            awaitsRest = false
            // If not, whatever ends that comes by here again.
            if driver.outcome == nil, driver.isAtRest { replica.copyLogAtRest() }
        }
    }

    private func received(_ order: SyncDriver.Order, _ answer: Result<SyncDriver.Answer, SyncFailure>) async {
        // Of a session that is over, too: the next one counts its orders anew.
        guard !Task.isCancelled else { return }
        let answer = recognition.recognise(answer)
        if let asked = ReadAhead(after: order, answer, driver) {
            ahead?.task.cancel()
            ahead = (
                asked,
                Task.immediate(executorPreference: client.transport.executor) { [client] in
                    await client.answer(to: asked.order)
                }
            )
            // The request has been handed to the transport, and goes out first: taking a page in keeps the transport's thread.
            await Task.yield()
            guard !Task.isCancelled else { return }
        }
        let next = driver.handle(.received(order, answer), at: now)
        // What was waited for is in the file: who watches that goes first, where there is no processor for both.
        if order.lane == .pull, driver.isAtRest { sched_yield() }
        carryOut(next)
    }

    /// The answer that is under way already, if it is to what is ordered now.
    private func takeAhead(for order: SyncDriver.Order) -> Task<Result<SyncDriver.Answer, SyncFailure>, Never>? {
        guard let ahead else { return nil }
        self.ahead = nil
        if ahead.asked.serves(order, driver) { return ahead.task }
        ahead.task.cancel()
        return nil
    }

    /// The answer to the push that was begun already, if it is what is ordered now.
    private func takeBegun(for order: SyncDriver.Order) -> PushAhead.Answer? {
        defer { begun = nil }
        return begun?.send(order)
    }

    private func finish() {
        begun?.cancel()
        begun = nil
        for task in tasks.values { task.cancel() }
        ahead?.task.cancel()
        switch driver.outcome {
        case .upToDate, .blocked: break
        // Where the session did not come to its end, its names are not worth a wait.
        case .stopped, .gaveUp, .requested, nil: cancelNaming()
        }
        for waiter in waiters { waiter.resume(returning: driver.report) }
        waiters = []
    }

    /// Asks for the devices' names, beside the session, which does not need them.
    private func learnDevices() {
        driver.wantsDevices = false
        if namesAwaited == 0 { naming = [] }
        namesAwaited += 1
        naming.append(
            Task { [client = ServerClient(client.transport, token: driver.token)] in
                learned(try? await client.devices())
            })
    }

    private func learned(_ devices: [Device]?) {
        namesAwaited -= 1
        guard let devices else { return }
        try? replica.setDevices(devices.map { ($0.replica, $0.name, $0.role.rawValue) })
        guard let role = try? replica.membership()?.role else { return }
        driver.isViewer = role == Role.viewer.rawValue
    }

    /// When a blocked push is tried once more; `nil` where none is.
    private var unblocking: Moment? {
        guard driver.outcome == nil, let since = driver.blockedSince else { return nil }
        return since.advanced(by: blockedWait)
    }

    /// When a session that runs once ends.
    private var end: Moment? {
        driver.outcome == nil ? timeMax.map { Moment(milliseconds: 0).advanced(by: $0) } : nil
    }

    /// When ``timerFired(_:)`` has something to do; `nil` for never.
    private var deadline: Moment? { [driver.deadline, unblocking, end].compactMap(\.self).min() }

    /// Sees to it that the timer fires at the deadline at the latest. One that fires before is set anew then: each request has a deadline, which
    /// is nearly always gone before it comes, and a timer that is cancelled wakes another thread.
    private func setTimer() {
        guard let deadline else {
            // Nothing is to keep the program waiting at the end.
            if driver.outcome != nil { cancelTimer() }
            return
        }
        if let timer, timer.deadline <= deadline { return }
        cancelTimer()
        let pause = max(.zero, now.duration(to: deadline))
        timer = (
            deadline,
            Task(executorPreference: client.transport.executor) {
                guard (try? await Task.sleep(for: pause)) != nil else { return }
                await self.timerFired(deadline)
            }
        )
    }

    private func cancelTimer() {
        timer?.task.cancel()
        timer = nil
    }

    private func timerFired(_ fired: Moment) {
        guard timer?.deadline == fired else { return }
        timer = nil
        guard let deadline, deadline <= now else { return setTimer() }
        if let end, let timeMax, end <= now {
            return carryOut(driver.handle(.timeIsOver(timeMax), at: now))
        }
        if let unblocking, unblocking <= now { return wake() }
        carryOut(driver.handle(.timerFired, at: now))
    }
}
