internal import Foundation
internal import Glibc
package import Replica
internal import RoostModel
package import RoostProtocol
package import Session
internal import Transport

/// Drives one replica's ``SyncDriver`` over the network: sends its orders, and reports their results and the time.
package actor Synchronizer {
    /// Wait before a retry of a push that the server refuses for a reason that only user action removes (decision 121).
    package static let blockedWait = Duration.seconds(15 * 60)
    /// Maximum wait of a report for names of devices. A server that has just answered sends them quickly.
    private static let namesWait = Duration.seconds(5)

    /// Idle time before the WAL is checkpointed: long enough for the last notification to be on its way.
    private static let restPause = Duration.milliseconds(1)
    /// Idle time before a WAL of any size is checkpointed. A copy of the file alone, as users make one, is then complete.
    private static let idlePause = Duration.seconds(5)

    /// Minimum interval between two automatic repairs.
    private static let repairPause = Duration.seconds(3600)

    private let replica: Replica
    private let client: ServerClient
    private let blockedWait: Duration
    /// Maximum duration of a session that runs once.
    private let timeMax: Duration?
    private let started = ContinuousClock.now

    /// The transport's thread. No other thread has to wake between an answer and the next request.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        client.transport.executor.asUnownedSerialExecutor()
    }

    /// Makes the driver of a session.
    private let makeDriver: @Sendable () -> SyncDriver
    private var driver: SyncDriver
    private var recognition: ServerRecognition
    /// Whether ``stop()`` was called, also between two sessions.
    private var isStopping = false
    private var tasks: [SyncLane: Task<Void, Never>] = [:]
    /// The push whose connection is opened while it is sealed.
    private var preconnected: PreconnectedPush?
    private var timer: (deadline: Moment, task: Task<Void, Never>)?
    /// Whether a task waits for an idle moment.
    private var awaitsRest = false
    /// Time of the last order.
    private var lastOrder = ContinuousClock.now
    /// Whether a task waits for the idle time after the last order.
    private var awaitsIdleness = false
    private var idleStart = ContinuousClock.now
    /// Requests for the names of devices, under way and finished.
    private var naming: [Task<Void, Never>] = []
    /// Number of such requests under way.
    private var namesAwaited = 0
    private var waiters: [CheckedContinuation<SyncReport, Never>] = []

    /// - Parameters:
    ///   - blockedWait: Wait before a retry of a blocked push.
    ///   - observe: Receives each new state, in order.
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

    /// Runs the session to its end. After corruption of the file, the file is repaired and a new session follows. Where it cannot be
    /// repaired, the check that has found the corruption is not repeated for some days.
    package func run() async -> SyncReport {
        var (report, reason) = await runSession()
        var last: Moment?
        while let damage = reason, last.map({ $0.advanced(by: Self.repairPause) <= now }) ?? true,
            repairs(damage, &report)
        {
            last = now
            driver = makeDriver()
            setTimer()
            let next = await runSession()
            (report, reason) = (next.report.after(report), next.reason)
        }
        return report
    }

    /// Repairs the file, if corruption has stopped the session.
    ///
    /// - Returns: Whether to start another session.
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

    /// Runs one session.
    ///
    /// - Returns: Its report, and the reason if it was stopped.
    private func runSession() async -> (report: SyncReport, reason: StopReason.Kind?) {
        do {
            carryOut(try driver.start(at: now))
        } catch {
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

    /// Reports that this program has written to the replica.
    package func wroteLocally() {
        guard driver.outcome == nil else { return }
        handle(.localChange)
    }

    /// Reports that a program may have written to the replica.
    package func localChange() {
        guard driver.outcome == nil else { return }
        handle(.fileChanged)
    }

    /// Reports that the network is back, or that the user requests an attempt. Waits end, and a blocked push is retried.
    package func wake() {
        guard driver.outcome == nil else { return }
        handle(.wake)
    }

    /// Whether a token is the present or the former token of the session.
    func uses(_ token: String) -> Bool { token == driver.token || token == driver.earlierToken }

    package func stop() {
        isStopping = true
        handle(.stop)
        cancelNaming()
    }

    private var now: Moment {
        Moment(milliseconds: 0).advanced(by: ContinuousClock.now - started)
    }

    private func handle(_ event: SyncEvent) {
        finishStep()
        carryOut(driver.handle(event, at: now))
    }

    /// Carries out the rest of a step whose request went ahead of it.
    private func finishStep() {
        guard driver.isUnfinished else { return }
        while driver.isUnfinished { carryOut(driver.resume(at: now)) }
        // No push has completed the open request.
        preconnected?.cancel()
        preconnected = nil
    }

    /// Sends an order, and handles the consequences of an event: names of devices, the end, the timer, the rest of the step.
    private func carryOut(_ order: SyncDriver.Order?) {
        if let order { send(order) }
        if driver.wantsDevices { learnDevices() }
        if driver.outcome != nil { finish() }
        setTimer()
        tidyAtRest()
        guard driver.isUnfinished else { return }
        // The transport sends the request first. The rest of the step occupies its thread.
        Task(executorPreference: client.transport.executor) { await self.finishStep() }
    }

    private func send(_ order: SyncDriver.Order) {
        lastOrder = .now
        tasks[order.lane]?.cancel()
        if case .connect(let checkpoint) = order.request {
            preconnected = PreconnectedPush(since: checkpoint, token: order.token, client)
            return
        }
        let answer = order.lane == .push ? consumePreconnected(for: order) : nil
        let task = { @Sendable [client] in
            let result =
                if let answer {
                    await withTaskCancellationHandler {
                        await answer.value
                    } onCancel: {
                        answer.cancel()
                    }
                } else {
                    await client.answer(to: order)
                }
            await self.received(order, result)
        }
        let executor = client.transport.executor
        tasks[order.lane] =
            driver.isUnfinished
            ? Task.immediate(executorPreference: executor, operation: task)
            : Task(executorPreference: executor, operation: task)
    }

    /// Checkpoints the replica's WAL, however small, after some idle time.
    private func tidyWhenIdle() {
        guard !awaitsIdleness, driver.outcome == nil, replica.isCopyingLog else { return }
        awaitsIdleness = true
        idleStart = .now
        Task { [weak self] in
            while let idleAt = await self?.nextIdleMoment() { try? await Task.sleep(until: idleAt) }
        }
    }

    /// - Returns: The time of the next check; `nil` where there is nothing to wait for.
    private func nextIdleMoment() -> ContinuousClock.Instant? {
        let idleAt = max(lastOrder, idleStart).advanced(by: Self.idlePause)
        guard driver.outcome != nil || idleAt <= .now else { return idleAt }
        awaitsIdleness = false
        // If the session is busy, its next event leads here again.
        if driver.outcome == nil, driver.isAtRest, replica.isLogUncopied { replica.copyLogAtRest() }
        return nil
    }

    /// Checkpoints the replica's WAL once the session is idle.
    private func tidyAtRest() {
        tidyWhenIdle()
        guard !awaitsRest, driver.outcome == nil, driver.isAtRest, replica.isLogWorthCopying else { return }
        awaitsRest = true
        Task {
            try? await Task.sleep(for: Self.restPause)
            awaitsRest = false
            // If the session is busy, its next event leads here again.
            if driver.outcome == nil, driver.isAtRest { replica.copyLogAtRest() }
        }
    }

    private func received(_ order: SyncDriver.Order, _ answer: Result<SyncDriver.Answer, SyncFailure>) {
        // The answer may belong to a session that is over. The next session counts its orders from the beginning.
        guard !Task.isCancelled else { return }
        let answer = recognition.recognise(answer)
        finishStep()
        let next = driver.handle(.received(order, answer), at: now)
        // The awaited page is in the file: its observers run first, where there is no processor for both.
        if order.lane == .pull, driver.isAtRest { sched_yield() }
        carryOut(next)
    }

    /// Hands a push over to the request that is open for it, and closes any other.
    ///
    /// - Returns: The answer that is under way; `nil` where the push is still to be sent.
    private func consumePreconnected(for order: SyncDriver.Order) -> PreconnectedPush.Answer? {
        defer { preconnected = nil }
        guard case .pushAndPull(let body, _, isPreconnected: true) = order.request else {
            preconnected?.cancel()
            return nil
        }
        return preconnected?.send(body)
    }

    private func finish() {
        preconnected?.cancel()
        preconnected = nil
        for task in tasks.values { task.cancel() }
        switch driver.outcome {
        case .upToDate, .blocked: break
        // A session that was stopped does not wait for names.
        case .stopped, .gaveUp, .requested, nil: cancelNaming()
        }
        for waiter in waiters { waiter.resume(returning: driver.report) }
        waiters = []
    }

    /// Requests the devices' names concurrently with the session, which does not need them.
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
        driver.isViewer = role == .viewer
    }

    /// The time of the next retry of a blocked push; `nil` where none is blocked.
    private var unblocking: Moment? {
        guard driver.outcome == nil, let since = driver.blockedSince else { return nil }
        return since.advanced(by: blockedWait)
    }

    /// The latest end of a session that runs once.
    private var end: Moment? {
        driver.outcome == nil ? timeMax.map { Moment(milliseconds: 0).advanced(by: $0) } : nil
    }

    /// The time at which ``timerFired(_:)`` has work; `nil` for never.
    private var deadline: Moment? { [driver.deadline, unblocking, end].compactMap(\.self).min() }

    /// Makes the timer fire at the deadline at the latest. A timer that fires earlier is set again: most deadlines are gone before they
    /// are reached, and cancelling a timer wakes another thread.
    private func setTimer() {
        guard let deadline else {
            // A timer must not keep the program waiting at the end.
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
            return handle(.timeIsOver(timeMax))
        }
        if let unblocking, unblocking <= now { return wake() }
        handle(.timerFired)
    }
}
