internal import Dispatch
internal import RoostMerge
internal import RoostModel
internal import RoostProtocol

extension SyncService {
    /// Purges, in every scope, records that are older than the horizon and that every active replica has.
    ///
    /// It reads concurrently with writes, and writes in slices between them. A scope that cannot be purged is reported and
    /// skipped. Cancelling the task stops the purge between two slices. While a jump of the server's clock is unconfirmed
    /// (``clockJump()``), nothing is purged.
    /// - Returns: The number of purged records.
    @discardableResult
    package func purge() async throws -> Int {
        let jump = try clockJump()
        try await recordClock()
        if let jump {
            report(.purgeWaits(jump))
            return 0
        }
        var count = 0
        for key in try store.read({ try $0.scopes() }) where !Task.isCancelled {
            do {
                count += try await purge(key)
            } catch  where !(error is CancellationError) {
                // A corrupt record of one scope is no reason to keep the deleted records of other scopes.
                report(.purgeFailed(scope: (try? scopeID(key)) ?? nil, reason: "\(error)"))
            }
        }
        await giveBackSpace()
        return count
    }

    /// Shrinks the store to its content, in many small commits.
    private func giveBackSpace() async {
        do {
            while !Task.isCancelled, try await queue.commit({ try $0.giveBackSpace() }) {}
        } catch {
            report(.spaceKept(reason: "\(error)"))
        }
    }

    /// Stores the replicas' positions. A position that is not stored counts as if the replica had not pulled.
    package func recordCursors() async throws {
        for key in try store.read({ try $0.scopes() }) where cursors.hasNews(of: key) {
            try await queue.commit { [cursors] in try cursors.flush(key, to: $0) }
        }
    }

    private func scopeID(_ key: ScopeKey) throws -> ScopeID? { try store.read { try $0.scope(key)?.id } }

    private func purge(_ key: ScopeKey) async throws -> Int {
        let now = now
        let passed = try await queue.commit { [purges, cursors] transaction in
            try cursors.flush(key, to: transaction)
            return try purges.settle(key, in: transaction, now: now)
        }
        guard purges.isOn, let passed, let plan = try await plan(key, passed: passed, now: now) else { return 0 }
        var slice = PurgeSlice(plan, namesPerSequence: limits.namesPerSequenceMax)
        var count = 0
        var start = 0
        while start < plan.groups.count, !Task.isCancelled {
            let end = end(of: plan.groups, from: start)
            let groups = plan.groups[start..<end]
            let done = try await queue.commit { [slice] in try slice.purge(groups, in: $0, now: now) }
            guard let done else { break }
            count += done.records
            slice = done.next
            start = end
            if done.records > 0 { waitingRoom.wake(key, .news) }
        }
        if count > 0 { report(.purged(scope: plan.scope.id, records: count)) }
        return count
    }

    private func plan(_ key: ScopeKey, passed: UInt64, now: UInt64) async throws -> PurgePlan? {
        try await aside { [self] in
            try store.read { snapshot in
                guard let scope = try snapshot.scope(key), !purged.isSettled(scope, passed: passed, now: now),
                    let plan = try PurgePlan(
                        of: key, in: snapshot, horizonMilliseconds: purges.horizonMilliseconds, passed: passed, now: now
                    )
                else { return nil }
                // Only an empty plan settles a scope: a purge may not execute another plan to its end, so the scope is
                // checked again.
                if plan.groups.isEmpty {
                    purged.keep(
                        .init(sequence: scope.head.sequence, passed: passed, until: plan.changesAt), for: key)
                }
                return plan
            }
        }
    }

    private func end(of groups: PurgeGroups, from start: Int) -> Int {
        var end = start
        var count = 0
        while end < groups.count, count == 0 || count + groups[end].count <= limits.recordsPerPurgeMax {
            count += groups[end].count
            end += 1
        }
        return end
    }

    /// Runs long work on a thread that no request waits for.
    private func aside<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        guard queue.mode != .inline else { return try body() }
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(with: .init(catching: body))
            }
        }
    }
}
