internal import Foundation
package import Replica
internal import RoostModel
package import RoostProtocol
package import Session
internal import Transport

/// Drives one replica's ``SyncSession``: does what it says, and tells it what came of it.
///
/// The session decides; this sends, applies and waits. At most one action of each lane is under way.
package actor Synchronizer {
    private let replica: Replica
    private let client: ServerClient
    private let limits: PushLimits
    private let started = ContinuousClock.now
    private let observe: @Sendable (SyncState) -> Void

    private var session: SyncSession
    private var report = SyncReport()
    private var sealed: (number: UInt64, body: [UInt8])?
    private var reply: PushReply?
    /// Changes that the server keeps until the rest of their transaction arrives.
    private var staged = 0
    private var page: PullReply?
    /// Counts what a push changes here or on the server: while it stands still, both sides can be compared.
    private var pushSteps = 0
    /// What ``pushSteps`` was when the pull was sent that waits or is applied now; `nil` if a push was under way.
    private var quietSince: Int?
    private var tasks: [SyncLane: Task<Void, Never>] = [:]
    private var timer: (deadline: Moment, task: Task<Void, Never>)?
    private var published: SyncState?
    private var naming: Task<Void, Never>?
    private var waiters: [CheckedContinuation<SyncReport, Never>] = []
    /// The devices whose names are known; `nil` before the first look.
    private var devices: Set<ReplicaID>?
    /// Whether the page applied last has noted the contact with itself.
    private var hasNoted = false

    /// - Parameters:
    ///   - observe: Called with each new state, in order.
    package init(
        _ replica: Replica, _ client: ServerClient, _ mode: SyncMode, limits: Limits = Limits(),
        observe: @escaping @Sendable (SyncState) -> Void = { _ in }
    ) {
        self.replica = replica
        self.client = client
        self.limits = PushCoding.limits(limits)
        self.observe = observe
        session = SyncSession(mode, seed: UInt64.random(in: .min ... .max))
    }

    /// Runs the session to its end.
    package func run() async -> SyncReport {
        let outbox: OutboxState
        do {
            outbox = try replica.outboxState()
        } catch {
            report.state = "\(error)"
            report.isTemporary = (error as? ReplicaError).map { [.busy, .diskFull].contains($0.code) } ?? false
            return report
        }
        perform(session.started(outbox, schemaVersion: replica.knownSchemaVersion, at: now))
        let result = await withCheckedContinuation { waiter in
            if session.outcome != nil { waiter.resume(returning: report) } else { waiters.append(waiter) }
        }
        await naming?.value
        return result
    }

    /// This program has written to the replica.
    package func wroteLocally() {
        guard session.outcome == nil else { return }
        perform(session.localChange(at: now))
    }

    /// A program may have written to the replica.
    package func localChange() {
        guard session.outcome == nil, (try? replica.hasUnsealedChanges()) ?? true else { return }
        perform(session.localChange(at: now))
    }

    /// The network came back, or a person asks for an attempt now.
    package func wake() { perform(session.wake(at: now)) }

    package func stop() { perform(session.stop(at: now)) }

    private var now: Moment {
        Moment(milliseconds: 0).advanced(by: ContinuousClock.now - started)
    }

    // MARK: Actions

    private func perform(_ action: SyncAction) {
        switch action {
        case .wait: break
        case .sealPush: run(.push) { try seal() }
        case .sendPush: start(.push) { try await $0.sendPush() }
        case .acknowledge: run(.push) { try acknowledge() }
        case .restamp(let time): run(.push) { try restamp(time) }
        case .pull(let seconds): start(.pull) { try await $0.pull(waitSeconds: seconds) }
        case .applyPage: run(.pull) { try applyPage() }
        case .fetchSchema(let version): start(.pull) { try await $0.fetchSchema(version) }
        case .rebuild: run(.pull) { try rebuild() }
        case .finish(let outcome): finish(outcome)
        }
        publish()
        setTimer()
    }

    /// Does an action that only the replica is needed for, here and now; what fails becomes an event too.
    private func run(_ lane: SyncLane, _ action: () throws -> Void) {
        do {
            try action()
        } catch {
            fail(lane, .replicaUnavailable(message: "\(error)"))
        }
    }

    /// Starts an action that waits for the server; what fails becomes an event too.
    private func start(_ lane: SyncLane, _ action: @escaping @Sendable (isolated Synchronizer) async throws -> Void) {
        tasks[lane] = Task {
            do {
                try await action(self)
            } catch let failure as ServerFailure {
                fail(lane, SyncFailure(failure))
            } catch {
                fail(lane, .replicaUnavailable(message: "\(error)"))
            }
        }
    }

    private func fail(_ lane: SyncLane, _ failure: SyncFailure) {
        guard session.outcome == nil else { return }
        perform(session.failed(lane, failure, at: now))
    }

    private func seal() throws {
        sealed = try replica.sealPushes(limits: limits) { PushCoding.encode($0) }
        perform(session.sealed(sealed?.number, at: now))
    }

    private func sendPush() async throws {
        // After a restart, the sealed push is read back.
        if sealed == nil { sealed = try replica.sealPushes(limits: limits) { PushCoding.encode($0) } }
        guard let body = sealed?.body else { return perform(session.sealed(nil, at: now)) }
        pushSteps += 1
        let answer = try await client.push(body)
        guard session.outcome == nil else { return }
        reply = answer
        perform(session.pushReplied(to: answer.number, at: now))
    }

    private func acknowledge() throws {
        if let reply, let number = sealed?.number {
            try replica.acknowledge(
                number, reply.results.map(PushCoding.verdict), current: reply.current,
                decode: PushCoding.decode)
            count(reply, try PushCoding.decode(sealed?.body ?? []))
        }
        sealed = nil
        reply = nil
        pushSteps += 1
        perform(session.acknowledged(at: now))
    }

    private func count(_ reply: PushReply, _ transactions: [[Change]]) {
        for (result, changes) in zip(reply.results, transactions) {
            // Parts that waited share the fate of the rest of their transaction.
            let count = changes.count + staged
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

    private func restamp(_ serverTime: UInt64) throws {
        try replica.restamp(serverTime: serverTime)
        sealed = nil
        perform(session.restamped(at: now))
    }

    private func pull(waitSeconds: Int) async throws {
        quietSince = try replica.sealedPushNumber() == nil ? pushSteps : nil
        let answer = try await client.pull(since: try replica.checkpoint(), waitSeconds: waitSeconds)
        guard session.outcome == nil else { return }
        page = answer
        perform(session.pulled(PageSummary(answer), at: now))
    }

    private func applyPage() throws {
        guard let page else { return perform(session.applied(.notCompared, at: now)) }
        let result = try replica.apply(
            page.records, checkpoint: page.checkpoint.bytes, serverTime: page.serverTime, isLast: !page.hasMore)
        report.pulled += result.applied
        report.beaten += result.beaten
        report.hidden += result.hidden
        report.shown += result.shown
        self.page = nil
        hasNoted = result.isNoted
        if result.applied > 0 { learnDevices(page.records) }
        var check = DigestCheck.notCompared
        // protocol.md §7.5: a push that overlaps the pull may stand in one digest and not in the other.
        if let digest = page.digest, quietSince == pushSteps {
            check = digest == result.digest ? .matches : .differs
        }
        perform(session.applied(check, at: now))
    }

    /// Asks for the devices' names when a record comes from one that is new here, so that the journal can say who; beside
    /// the session, which does not need them.
    private func learnDevices(_ records: [RecordState]) {
        if devices == nil { devices = try? Set(replica.devices().keys) }
        let authors = Set(records.flatMap { [$0.put?.stamp.replica, $0.delete?.replica].compactMap { $0 } })
        guard let known = devices, !authors.isSubset(of: known) else { return }
        devices = known.union(authors)
        naming = Task { [client, replica] in
            guard let devices = try? await client.devices() else { return }
            try? replica.setDevices(devices.map { ($0.replica, $0.name, $0.role.rawValue) })
        }
    }

    private func fetchSchema(_ version: Int) async throws {
        let text = try await client.schema()
        guard session.outcome == nil else { return }
        try replica.keepSchema(text, version: version)
        perform(session.schemaFetched(at: now))
    }

    private func rebuild() throws {
        try replica.forgetCheckpoint()
        perform(session.rebuilt(at: now))
    }

    // MARK: State

    private func finish(_ outcome: SyncOutcome) {
        for task in tasks.values { task.cancel() }
        timer?.task.cancel()
        report.digest = try? replica.digest()
        (report.state, report.isUpToDate, report.isTemporary) =
            switch outcome {
            case .upToDate: ("up to date", true, false)
            case .blocked(let reason), .stopped(let reason): (reason.message, false, false)
            case .gaveUp(let reason): (reason.message, false, true)
            case .requested: ("stopped on request", false, true)
            }
        report.isRequested = outcome == .requested
        for waiter in waiters { waiter.resume(returning: report) }
        waiters = []
    }

    private func publish() {
        let status = session.status
        guard status != published else { return }
        published = status
        observe(status)
        let wall = Int64(Date().timeIntervalSince1970 * 1000)
        func time(_ moment: Moment?) -> Int64? { moment.map { wall + $0.milliseconds - now.milliseconds } }
        switch status {
        case .notRunning, .pushing, .pulling: break
        case .upToDate:
            if !hasNoted { try? replica.noteContact(failure: nil, nextAttempt: nil) }
            hasNoted = false
        case .offline(let reason, let retry, _), .waiting(let reason, let retry, _):
            try? replica.noteContact(failure: reason.message, nextAttempt: time(retry))
        case .blocked(let reason, _), .stopped(let reason, _):
            try? replica.noteContact(failure: reason.message, nextAttempt: nil)
        }
    }

    private func setTimer() {
        guard session.outcome == nil, let deadline = session.deadline else {
            timer?.task.cancel()
            timer = nil
            return
        }
        guard timer?.deadline != deadline else { return }
        timer?.task.cancel()
        let pause = max(.zero, now.duration(to: deadline))
        timer = (
            deadline,
            Task {
                guard (try? await Task.sleep(for: pause)) != nil else { return }
                timerFired(deadline)
            }
        )
    }

    private func timerFired(_ deadline: Moment) {
        guard timer?.deadline == deadline else { return }
        timer = nil
        perform(session.timerFired(at: now))
    }
}

extension SyncFailure {
    init(_ failure: ServerFailure) {
        switch failure {
        case .refused(let error): self = .refused(error)
        case .invalidReply(let message): self = .invalidReply(message: message)
        case .transport(let error):
            switch error.cause {
            case .timedOut: self = .timedOut(message: error.description)
            case .tlsUntrusted: self = .untrusted(message: error.description)
            case .malformedResponse, .responseTooLarge, .invalidRequest:
                self = .invalidReply(message: error.description)
            default: self = .unreachable(message: error.description)
            }
        }
    }
}
