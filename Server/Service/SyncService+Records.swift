internal import RoostModel
package import RoostProtocol
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

extension SyncService {
    /// Handles a push; returns when it is durable.
    ///
    /// - Parameters:
    ///   - page: The page to pull after the push, which is returned with the reply. It is left out if it cannot be read:
    ///     the push is stored nevertheless, and a later pull reports the error.
    ///   - deviceTime: The device's own clock in milliseconds since 1970, without the offset learned from the server, if
    ///     the device sent it.
    ///   - admit: Called with the number of changes before anything is stored. It throws to refuse the push.
    /// - Returns: The reply, in the requested encoding.
    package func push(
        _ body: [UInt8], as type: MediaType, replyAs replyType: MediaType, by member: Principal,
        page: PageRequest? = nil, deviceTime: UInt64? = nil, admit: (_ changes: Int) throws -> Void = { _ in }
    ) async throws -> [UInt8] {
        let names = type == .json || replyType == .json ? try names(for: member) : Self.noNames
        let push: PreparedPush
        do {
            push = try PreparedPush(body, as: type, names, from: member.scopeID, seal: seal, limits: limits)
        } catch {
            // A push that was stored under names of an earlier schema still gets its reply.
            guard let stored = try storedReply(to: body, for: member) else { throw error }
            try admit(0)
            return try await reply(stored, as: replyType, page: page, for: member)
        }
        try admit(push.changeCount)
        let done = try await commit(push, by: member, deviceTime: deviceTime)
        // Waiting pulls on this thread get their page before the reply is made: the changes are new to them.
        if done.effects.news != nil, waitingRoom.hasWaiting(in: member.scope, except: done.effects.knownTo) {
            await Task.yield()
            // The system may have queued a local device's process behind this thread on its processor, because it expects a
            // program that writes to a socket to wait next.
            sched_yield()
        }
        // The device's own changes are skipped without reading them, because they may be many.
        let own = done.effects.knownTo == nil ? nil : done.effects.news
        return try await reply(done.reply, as: replyType, page: page, leavingOut: own, for: member)
    }

    /// Stores a push, or finds its stored reply.
    private func commit(_ push: PreparedPush, by member: Principal, deviceTime: UInt64?) async throws -> PushDone {
        do {
            return try await queue.commit(writing: .log) { [self] transaction in
                let generation = tails.generation
                let now = now
                let (reply, effects) = try pushes.handle(
                    push, by: member, in: transaction, clock: clock(for: push.newest, in: transaction), now: now)
                let noted = try recordClock(for: push, in: transaction)
                return PushDone(reply: reply, effects: effects, generation: generation, clock: noted)
            } then: { [self] done in
                if let clock = done.clock { time.withLock { $0.stored = max($0.stored, clock) } }
                confirmClock(push, by: member.replica, deviceTime: deviceTime)
                if let addition = done.effects.addition { tails.append(addition, since: done.generation) }
                announce(done.effects, by: member)
            }
        } catch let error as ProtocolError where error.code != .revoked {
            // The checkpoint of a refused push still reveals a rollback of the server, and the replica may never send it
            // again.
            if let position = push.checkpoint { try await noticeRollback(position, by: member) }
            throw error
        }
    }

    /// Makes the reply to a stored push. An error about a record must not fail it, because the push would be resent
    /// forever.
    private func reply(
        _ stored: [UInt8], as type: MediaType, page request: PageRequest?, leavingOut own: ClosedRange<UInt64>? = nil,
        for member: Principal
    ) async throws -> [UInt8] {
        var page: PullHandler.Page?
        if let request { page = try? await readPage(request, for: member, leavingOut: own) }
        // The client pulls a large page separately: a reply that is not stored takes at most one page of memory.
        if let read = page, isLarge(read) { page = nil }
        guard type == .json else {
            return page.map { PushReply.protobuf(stored, page: $0.protobuf) } ?? stored
        }
        var reply = try PushReply(protobuf: stored)
        if let page { reply.page = try? readable(page, of: member) }
        return try reply.json(names(for: member)).encoded
    }

    /// Whether the server has a reply to a push of the member's replica.
    package func hasPushed(_ member: Principal) throws -> Bool {
        try store.read { try $0.progress(of: member.replica, in: member.scope).number > 0 }
    }

    /// Returns the stored reply to a push, in the requested encoding; `nil` if the body is not that of the replica's last
    /// push.
    package func storedReply(to body: [UInt8], as type: MediaType, for member: Principal) throws -> [UInt8]? {
        guard let reply = try storedReply(to: body, for: member) else { return nil }
        return type == .json ? try PushReply(protobuf: reply).json(names(for: member)).encoded : reply
    }

    private func storedReply(to body: [UInt8], for member: Principal) throws -> [UInt8]? {
        let progress = try store.read { try $0.progress(of: member.replica, in: member.scope) }
        return progress.number > 0 && progress.hash == SHA256Digest.of(body) ? progress.reply : nil
    }

    /// Returns the stored reply to push `number`, in the requested encoding; `nil` if no push of that number is stored.
    ///
    /// - Parameter hash: The SHA-256 of the push's body; `nil` from a client that does not send it.
    /// - Throws: ``ErrorCode/replicaForked`` if the replica has pushed more since, or another push under the number.
    package func storedReply(
        toPush number: UInt64, hash: [UInt8]?, as type: MediaType, for member: Principal
    ) throws -> [UInt8]? {
        let progress = try store.read { try $0.progress(of: member.replica, in: member.scope) }
        guard number <= progress.number else { return nil }
        guard number == progress.number else {
            throw ProtocolError(
                .replicaForked,
                "Cannot give the reply to push \(number): the last push of this replica is \(progress.number). Its file was "
                    + "copied or restored; renew the replica and push again.")
        }
        guard hash == nil || hash == progress.hash else {
            throw ProtocolError(
                .replicaForked,
                "Cannot give the reply to push \(number): this replica has pushed something else under that number. Its file "
                    + "was copied or restored; renew the replica and push again.")
        }
        return type == .json ? try PushReply(protobuf: progress.reply).json(names(for: member)).encoded : progress.reply
    }

    /// Merges records that the server has lost and the member's replica still has; returns when they are durable.
    ///
    /// - Parameter admit: Called with the number of records before anything is stored. It throws to refuse the request.
    /// - Returns: The reply, in the requested encoding.
    package func recover(
        _ body: [UInt8], as type: MediaType, replyAs replyType: MediaType, by member: Principal,
        admit: (_ records: Int) throws -> Void = { _ in }
    ) async throws -> [UInt8] {
        let names = type == .json || replyType == .json ? try names(for: member) : Self.noNames
        let request = try PreparedRecovery(body, as: type, names, limits: limits)
        try admit(request.count)
        let now = now
        let done = try await queue.commit { [self] transaction in
            try cursors.flush(member.scope, to: transaction)
            return try recovery.handle(
                request, by: member, in: transaction, clock: clock(for: request.newest, in: transaction), now: now)
        } then: { [self] done in
            announce(done.effects, by: member)
            if done.stored > 0 {
                report(.recovered(scope: member.scopeID, replica: member.replica, records: done.stored))
            }
        }
        return try RecoverReply(stored: UInt64(done.stored), purged: done.purged, serverTime: now).encoded(
            as: replyType, names)
    }

    private func announce(_ effects: PushEffects, by member: Principal) {
        if effects.rollback != nil { announceRollback(by: member) }
        if effects.news != nil { waitingRoom.wake(member.scope, .news, except: effects.knownTo) }
        for collision in effects.collisions {
            report(.stampCollision(scope: member.scopeID, record: collision.record, stamp: collision.stamp))
        }
    }

    /// Reads a page and encodes it: ``page(_:for:waiter:willWait:)`` and ``encoded(_:as:for:)``.
    package func pull(
        _ request: PageRequest, as type: MediaType, for member: Principal, waiter: Waiter? = nil,
        willWait: () -> Void = {}
    ) async throws -> [UInt8] {
        try encoded(try await page(request, for: member, waiter: waiter, willWait: willWait), as: type, for: member)
    }

    /// Reads a page. With a `waiter`, it waits while the page would be empty.
    ///
    /// - Parameters:
    ///   - waiter: A waiter from ``waitingRoom``, entered before this call.
    ///   - willWait: Called once, before the first wait, to set a timer.
    /// - Throws: `CancellationError` if the client has disconnected.
    package func page(
        _ request: PageRequest, for member: Principal, waiter: Waiter? = nil, willWait: () -> Void = {}
    ) async throws -> PullHandler.Page {
        let page = try await readPage(request, for: member)
        guard let waiter, page.isEmpty, !page.hasMore else { return page }
        willWait()
        return try await wait(waiter) { try await readPage(request, for: member) }
    }

    /// Whether a page exceeds the usual size, because one transaction alone does.
    package func isLarge(_ page: PullHandler.Page) -> Bool {
        page.protobuf.count > limits.pageBytesMax + Self.pageOverheadBytes
    }

    /// Encodes a whole page.
    package func encoded(_ page: PullHandler.Page, as type: MediaType, for member: Principal) throws -> [UInt8] {
        guard type == .json else { return page.protobuf }
        return try readable(page, of: member).json(names(for: member)).encoded
    }

    /// Returns a page in JSON that is made while it is sent.
    package func pieces(of page: PullHandler.Page, for member: Principal) throws -> PagePieces {
        try PagePieces(protobuf: page.protobuf, names(for: member))
    }

    /// Reports the number of records of a page that could not be read.
    package func reportUnreadable(_ count: Int, for member: Principal) {
        if count > 0 { report(.unreadableRecords(scope: member.scopeID, records: count)) }
    }

    /// Returns the page without records whose stored bytes are corrupt. The client gets the other records, and the operator
    /// is notified.
    private func readable(_ page: PullHandler.Page, of member: Principal) throws -> PullReply {
        var count = 0
        let reply = try page.protobuf.withBytes { (bytes) throws(CodingError) in
            try PullReply(protobuf: bytes) { (_) throws(CodingError) in count += 1 }
        }
        reportUnreadable(count, for: member)
        return reply
    }

    private func announceRollback(by member: Principal) {
        report(.rolledBack(scope: member.scopeID, replica: member.replica))
        // All waiting pulls have a checkpoint of the ended incarnation.
        waitingRoom.wake(member.scope, .news)
    }

    private func wait(
        _ waiter: Waiter, _ read: () async throws -> PullHandler.Page
    ) async throws -> PullHandler.Page {
        while true {
            switch await waiter.wait() {
            case .closed: throw CancellationError()
            case .revoked: throw AccessHandler.revoked
            case .schema, .timeUp, .stopping: return try await read()
            case .news:
                let page = try await read()
                if !page.isEmpty || page.hasMore { return page }
            }
        }
    }

    private func readPage(
        _ request: PageRequest, for member: Principal, leavingOut own: ClosedRange<UInt64>? = nil
    ) async throws -> PullHandler.Page {
        let now = now
        do {
            let cursor = cursors.sequence(of: member.replica, in: member.scope)
            let page = try readLog(for: member) { snapshot in
                try pulls.page(
                    request, for: member, cursor: cursor, leavingOut: own, from: snapshot, now: now)
            }
            recordAnswered(member.replica)
            if !request.isAhead {
                cursors.note(page.since, by: member.replica, in: member.scope, known: page.cursor, now: now)
            }
            return page
        } catch let alarm as PullHandler.RollbackAlarm {
            try await beginRecovery(alarm.position, by: member)
            throw PullHandler.historyChanged
        }
    }

    /// Starts a new incarnation of a scope if a checkpoint of this server is in no incarnation that it has.
    private func noticeRollback(_ position: CheckpointSeal.Position, by member: Principal) async throws {
        let isForeign = try store.read { snapshot in
            try snapshot.scope(member.scope).map { try position.standing(in: $0, snapshot) } == .foreign
        }
        if isForeign { try await beginRecovery(position, by: member) }
    }

    private func beginRecovery(_ position: CheckpointSeal.Position, by member: Principal) async throws {
        let now = now
        let isNew = try await queue.commit { [recovery] transaction in
            try recovery.noticeRollback(position, of: member.scope, in: transaction, now: now)
        }
        if isNew { announceRollback(by: member) }
    }

    /// Reads a page from the cached end of the log, or otherwise from the store.
    ///
    /// Never inlined: values on its stack would be stored in each request's task, which keeps them while the request waits.
    @inline(never)
    private func readLog(
        for member: Principal, _ read: (any StoreSnapshot) throws -> (page: PullHandler.Page, replica: StoredReplica)
    ) throws -> PullHandler.Page {
        // A page that the tail refuses is read again from the store, which decides.
        if let tail = tails.snapshot(of: member.scope, for: member.replica), let (page, _) = try? read(tail) {
            return page
        }
        let generation = tails.generation
        let (page, replica) = try store.read(read)
        tails.admit(replica, since: generation)
        return page
    }

    /// Returns the head of the scope: its last sequence, its digest, and its number of records.
    package func head(for member: Principal) throws -> ScopeHead {
        try store.read { try access.scope(member.scope, $0).head }
    }

    /// The maximum bytes of a page without its records and identifiers.
    private static let pageOverheadBytes = 64 * 1024

    /// The names for bodies that contain none.
    private static let noNames = RecordJSON(Schema(name: "", version: 0, entities: []))
}
