internal import Replica
internal import Roost
internal import RoostModel
internal import RoostProtocol
internal import RoostService
internal import Session

/// Observations by the checkers.
extension Simulation {
    /// Observes a device's file if it was written to.
    func look(at device: SimulatedDevice) throws {
        guard let replica = device.replica, device.viewedOperations != device.disk.operations else { return }
        counts[.checks] += 1
        let reader = device.reader
        let before = device.view
        do {
            try device.run {
                device.view = try device.reader.read(
                    try device.plainConnection(), version: device.schemaVersion,
                    isUnsettled: device.foreign?.isLayoutBroken == true)
                device.viewedOperations = device.disk.operations
                if trace.keepsLines { trace.note(device.view.summary(device.index)) }
                try checks.look(
                    at: device.view, after: before, device: device.index, version: device.schemaVersion,
                    isForeign: device.foreign != nil, ledger
                ) {
                    try replica.content(of: $0)
                }
            }
            if device.foreign != nil, !device.disk.isDead { try checkUsersOwn(device) }
        } catch let violation as Violation {
            throw violation
        } catch let failure as PlainConnection.Failure where failure.code == 1 && device.foreign != nil {
            // A table or column of Roost's is missing or renamed, until a session verifies the layout.
            guard device.foreign?.isLayoutBroken == true else {
                throw Violation(
                    .committedWrite, "replica \(device.index) synchronises with another layout: \(failure.message)")
            }
            device.reader = reader
            device.viewedOperations = nil
            return
        } catch {
            // The first read of a file opens it, which writes: the disk may die or fail then.
            device.reader = reader
            if device.disk.isDead { return try crash(device) }
            guard device.hasDiskFault else { throw error }
            device.viewedOperations = nil
            return
        }
        trace.note("d\(device.index)", device.view.digest)
    }

    /// Checks the server's response to a push.
    func tookPush(_ message: Message, _ body: [UInt8], _ response: SimulatedServer.Response) async throws {
        counts[.pushes] += 1
        try hearReports()
        switch response {
        case .message(let bytes):
            var reply = try PushReply(protobuf: bytes)
            if let page = reply.page, case .pushAndPull(_, let since, _) = message.request {
                counts[.sharedPages] += 1
                try await tookPage(page, since, message)
            }
            // The page is not part of the reply that is stored and repeated.
            reply.page = nil
            try note(
                checks.took(
                    body, token: message.token, of: message.device, reply: reply.protobuf(),
                    now: UInt64(server.clock.wall),
                    limits: server.limits, isForeign: devices[message.device].foreign != nil, &ledger))
            counts[.staged] += reply.results.count { $0 == .staged }
            uncertain.removeAll { $0.token == message.token && $0.request.pushed == body }
        case .refused(let bytes):
            let error = try ProtocolError(json: try JSONParser.parse(bytes))
            if error.code == .storageUnavailable { uncertain.append(message) }
            if error.code == .replicaForked || error.code == .stampsNotIncreasing, !message.isRepetition {
                checks.wasForked(message.device)
            }
        case .none: uncertain.append(message)
        }
    }

    func note(_ taken: Checks.Taken) {
        counts[.accepted] += taken.accepted.count
        counts[.gone] += taken.gone
    }

    /// Checks the server's response to records that a device brought back.
    func tookRecovery(_ message: Message, _ records: [RecordState], _ response: SimulatedServer.Response) throws {
        switch response {
        case .message: break
        case .refused(let bytes):
            let error = try ProtocolError(json: try JSONParser.parse(bytes))
            if error.code == .storageUnavailable { uncertain.append(message) }
            return
        case .none: return uncertain.append(message)
        }
        guard let store = server.store else { return }
        let view = try ServerView(store, scope)
        for record in records {
            let sequence = view.records[record.key]?.sequence ?? view.scope.head.sequence
            let held = view.records[record.key]?.state.stamps ?? SlotStamps()
            // The server skips a record that was purged without the replica's knowledge.
            let mayPass = ledger.purged[record.key] != nil
            if let put = record.put, !mayPass || held.put.map({ $0.stamp >= put.stamp }) ?? false {
                try broughtBack(record.key, put, sequence)
            }
            if let delete = record.delete, !mayPass || held.delete.map({ $0 >= delete }) ?? false {
                try broughtBack(record.key, delete, sequence)
            }
        }
    }

    func broughtBack(_ key: RecordKey, _ put: RecordState.PutSlot, _ sequence: UInt64) throws {
        try broughtBack(Change(key: key, stamp: put.stamp, kind: .put(put.encoded, base: put.base)), sequence)
    }

    func broughtBack(_ key: RecordKey, _ delete: HybridTimestamp, _ sequence: UInt64) throws {
        try broughtBack(Change(key: key, stamp: delete, kind: .delete), sequence)
    }

    /// Checks that a change that was brought back had been accepted before the server lost it.
    private func broughtBack(_ change: Change, _ sequence: UInt64) throws {
        guard ledger.wasAccepted(change) else {
            throw Violation(
                .rollback, "\(change.stamp) of \(change.key) is brought back, and no server ever accepted it")
        }
        if ledger.accept(change, sequence: sequence) { counts[.broughtBack] += 1 }
    }

    /// Checks a page that the server sent.
    func tookPull(_ message: Message, _ since: [UInt8]?, _ response: SimulatedServer.Response) async throws {
        switch response {
        case .none, .refused: break
        case .message(let bytes): try await tookPage(try PullReply(protobuf: bytes), since, message)
        }
    }

    private func tookPage(_ page: PullReply, _ since: [UInt8]?, _ message: Message) async throws {
        guard let store = server.store, let service = server.service else { return }
        let view = try ServerView(store, scope)
        let seal = CheckpointSeal(secret: try store.read { try $0.setting("secret") } ?? [])
        let end = try seal.open(page.checkpoint, of: view.scope.id)
        let start =
            try since.map { try seal.open(Checkpoint(bytes: $0), of: view.scope.id) }
            ?? .init(epoch: end.epoch, sequence: 0, echo: end.sequence, chain: 0)
        let member = try await service.member(try SimulatedServer.token(message.token))
        try checks.pages.check(page, since: start, end: end, for: member.replica, view)
        try checks.purge.check(
            page, since: start.echo > start.sequence ? nil : start.sequence, end: end.sequence, ledger)
        checks.purge.gave(
            page, since: since, end: end.sequence, device: message.device,
            isAwaited: !message.isRepetition && message.generation == devices[message.device].generation,
            isAhead: message.request.isAhead, now: UInt64(server.clock.wall))
        counts[.pages] += 1
    }

    /// Observes the server, and whether it still runs.
    func sawServer() throws {
        if server.disk.isDead { return try crashServer() }
        guard let store = server.store else { return }
        try hearReports()
        let operations = server.disk.operations
        guard server.kind == .memory || operations != serverOperations else { return }
        serverOperations = operations
        counts[.checks] += 1
        let view = try ServerView(store, scope)
        try ServerChecker.check(view, ledger)
        if !checks.comesApart { try WholeTransactionChecker.check(view) }
        trace.note("server \(view.scope.head.sequence)", view.scope.head.digest.bytes)
    }

    /// Checks the events that the server reported to its operator.
    func hearReports() throws {
        if let error = server.internalErrors.first {
            throw Violation(.session, "the server knows no better answer than an internal error: \(error)")
        }
        for event in server.reports.take() {
            switch event {
            case .stampCollision(_, let record, let stamp):
                try OneContentChecker.check(stamp, of: record, shared: sharedIdentities)
            case .rolledBack:
                counts[.rollbackNoticed] += 1
                guard hasGoneBack else {
                    throw Violation(.rollback, "the server finds that it was put back, and nobody did that")
                }
                checks.purge.serverBeganAnew(now: UInt64(server.clock.wall))
            case .purgeFailed(_, let reason) where !server.hasDiskFault && !server.disk.isDead:
                throw Violation(.purge, "the scope cannot be purged: \(reason)")
            default: break
            }
        }
    }

    /// Checks a refusal that a device received. Without an injected fault that explains it, it is a bug.
    func checkRefusal(_ error: ProtocolError, _ message: Message) throws {
        switch error.code {
        case .storageUnavailable where explained.contains(message.number):
            pausedUntil = max(pausedUntil, clock.now + Int64(error.retryAfter ?? 0) * 1000)
            return
        case .clockAhead:
            checks.madeAnew.insert(message.device)
            return
        // The device's file was copied or restored, or lost its last commits.
        case .replicaForked where forked.contains(message.device), .foreignStamp where forked.contains(message.device),
            .stampsNotIncreasing where forked.contains(message.device):
            return
        // The refused push arrived once more, after its stamps had ceased to be ahead.
        case .replicaForked where checks.madeAnew.contains(message.device),
            .stampsNotIncreasing where checks.madeAnew.contains(message.device):
            return
        case .resyncRequired where checks.purge.mayBeTooOld(message.device):
            counts[.resync] += 1
            checks.rollback.wasTooOld(message.device)
            return
        case .notRecovering where isAllPurged(message.request): return
        case _ where explained.contains(message.number): return
        default:
            throw Violation(
                .session, "the server refuses \(message.request.summary) of replica \(message.device): \(error)")
        }
    }

    /// Returns whether all records that a replica takes for lost had been purged without its knowledge.
    private func isAllPurged(_ request: SyncDriver.Request) -> Bool {
        guard case .recover(let records) = request else { return false }
        return records.allSatisfy { ledger.purged[$0.key] != nil }
    }

    /// Records whether the server's state explains a refusal when it is sent. By the time the device receives it, the server
    /// may have been restored to a state in which it would respond otherwise.
    func judgeRefusal(_ response: SimulatedServer.Response, of message: Message) throws {
        guard case .refused(let bytes) = response else { return }
        let error = try ProtocolError(json: try JSONParser.parse(bytes))
        let isOfDisk = error.code == .storageUnavailable && server.hasDiskFault
        if try isOfDisk || isExplainedByRollback(error.code, message) { explained.insert(message.number) }
    }

    /// Returns whether a restore explains a refusal: only a restored server sends it, and only to devices of which it has
    /// forgotten something.
    private func isExplainedByRollback(_ code: ErrorCode, _ message: Message) throws -> Bool {
        guard hasGoneBack else { return false }
        switch (code, message.request) {
        case (.historyChanged, .pull(let since?, _)), (.historyChanged, .pullAhead(let since)):
            guard let store = server.store, let scope = try store.read({ try $0.scope(scope) }) else { return true }
            return checks.pages.isEnded(since, epoch: scope.epoch)
        case (.serverRolledBack, .push), (.serverRolledBack, .pushAndPull): return true
        case (.notRecovering, .recover):
            return checks.rollback.wasBehindItsBack || !checks.purge.isRecovering(now: UInt64(server.clock.wall))
        case (.unauthorized, _): return try isUnknown(message.token)
        default: return false
        }
    }
}
