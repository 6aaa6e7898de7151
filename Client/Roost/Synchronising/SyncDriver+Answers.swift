internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

/// Effects of the results of orders.
extension SyncDriver {
    private static let unsettled =
        "Cannot use the server's answer: it does not say of each transaction what became of it. Check the server's version."

    mutating func receive(_ result: Result<Answer, SyncFailure>, of order: Order, at now: Moment) -> Order? {
        guard awaits(order) else { return nil }
        orders.close(order.lane)
        if order.lane == .pull { pull.endRequest() }
        let result = tokens.judge(order, result, replica)
        do {
            switch try effect(of: result, order, at: now) {
            case .next(let action): return perform(action, at: now)
            case .order(let request, let token): return send(request, order.lane, token: token, at: now)
            }
        } catch {
            return perform(session.failed(order.lane, SyncFailure(ofReplica: error), at: now), at: now)
        }
    }

    private mutating func effect(
        of result: Result<Answer, SyncFailure>, _ order: Order, at now: Moment
    ) throws -> Step {
        switch result {
        case .success(let answer): return try apply(answer, of: order, at: now)
        case .failure(let failure):
            names.note(failure)
            if tokens.searches(after: failure, of: order, replica) {
                // A request for a new identity is repeated with another token.
                if case .renew = order.request, let question = tokens.question { return .order(question) }
                return .next(session.forgotten(order.lane, failure, at: now))
            }
            guard let request = try requestInstead(of: order.request, after: failure) else { throw failure }
            return .order(request)
        }
    }

    /// Writes an answer to the replica, or keeps it for the action that does.
    ///
    /// - Throws: The failure of the order, where the answer or the replica is at fault.
    private mutating func apply(_ answer: Answer, of order: Order, at now: Moment) throws -> Step {
        switch answer {
        case .push(let reply): return .next(try keep(reply, to: order.request, at: now))
        case .pushIsNotStored: return .order(try requestAfterMissingReply())
        case .pushIsUnknown:
            uplink.replyIsUnknown()
            throw uplink.interruption ?? .timedOut(message: "")
        case .pull(let page):
            if let reason = pull.receive(page) { throw SyncFailure.limitReached(reason) }
            return .next(session.pulled(PageSummary(page, since: pull.start.checkpoint), at: now))
        case .schema(let text):
            try replica.keepSchema(text, version: pull.schemaVersion)
            try replica.checkVersion()
            return .next(session.schemaFetched(at: now))
        case .renewed(let registration):
            try renew(as: registration, with: order.token)
            return .next(session.renewed(at: now))
        case .recovered(let reply):
            try replica.broughtBack(pull.recovering, purged: reply.purged)
            report.broughtBack += pull.recovering.count { !reply.purged.contains($0.key) }
            return .next(session.recovered(hasMore: try replica.lostCount() > 0, at: now))
        case .foundToken(let index):
            let token = try tokens.found(index)
            let nonce = try replica.renewalNonce(fresh: freshNonce)
            return .order(.renew(reason: tokens.cause.words, nonce: nonce), token: token)
        }
    }

    private mutating func keep(_ reply: PushReply, to request: Request, at now: Moment) throws -> SyncAction {
        guard push.isSettled(by: reply, to: request) else { throw SyncFailure.invalidReply(message: Self.unsettled) }
        uplink.answered(after: push.receive(reply, at: now))
        // A page that was not requested may follow another checkpoint.
        guard case .pushAndPull = request, let page = reply.page else {
            return session.pushReplied(to: reply.number, at: now)
        }
        pull.receive(page, withReplyAt: push.steps)
        return session.pushReplied(to: reply.number, page: PageSummary(page, since: pull.start.checkpoint), at: now)
    }

    private mutating func renew(as registration: Registration, with used: String) throws {
        let reason = tokens.cause.words
        try checkScope(of: registration)
        try replica.renew(
            as: registration.replica, token: registration.token, with: used, role: registration.role.rawValue,
            reason: reason)
        tokens.renew(registration.token)
        // A request of the former identity is ignored: the server leaves out what that one wrote.
        orders.close(.pull)
        pull.renewIdentity()
        push.renewIdentity()
        uplink.renewIdentity()
        report.notices.append("\(reason) It has a new identity now; nothing was lost.")
    }

    /// A token file that belongs to another replica must not bring this one's records into another scope.
    private func checkScope(of registration: Registration) throws {
        guard let scope = try replica.membership()?.scope, scope != registration.scope else { return }
        throw ReplicaError(
            .corrupt,
            "Cannot synchronise \"\(replica.path)\": its token file \"\(replica.path)-token\" is of another scope. Put the right one back, "
                + "or get an invite and run: roost join LINK FILE")
    }

    /// A nonce that no other replica, session, or renewal of this session has.
    var freshNonce: String {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(seed)
        bytes.appendBigEndian(UInt64(orders.count))
        return Hex.encode(bytes)
    }
}
