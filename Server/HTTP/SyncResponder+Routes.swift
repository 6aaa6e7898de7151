internal import NIOCore
internal import NIOHTTP1
internal import RoostModel
internal import RoostProtocol
internal import RoostService

extension SyncResponder {
    func answer(_ route: Route, _ input: RequestInput) async throws -> Response {
        switch route {
        case .push: return try await push(input)
        case .pull: return try await pull(input)
        case .recover: return try await recover(input)
        case .health: return try await health()
        case .version: return json(version())
        case .createScope: return try await createScope(input)
        case .join: return try await join(input)
        case .knownToken: return try await knownToken(input)
        default:
            let (member, token) = try await member(input)
            return try await answer(route, input, for: member, token)
        }
    }

    private func answer(
        _ route: Route, _ input: RequestInput, for member: Principal, _ token: Token
    ) async throws -> Response {
        switch route {
        case .pushReply: return try pushReply(input, member)
        case .me: return timed(try me(member))
        case .digest: return timed(try digest(member))
        case .listInvites:
            return timed(("invites", .array(try service.invites(for: member).map(\.json))))
        case .createInvite:
            try service.check(member, atLeast: .owner, to: "invite")
            return try await createInvite(input, member)
        case .revokeInvite(let id):
            try await service.revokeInvite(id, by: member)
            return timed(("revoked", .boolean(true)))
        case .listDevices:
            return timed(("devices", .array(try service.devices(for: member).map(\.json))))
        case .revokeDevice(let id):
            try service.check(member, atLeast: .owner, to: "revoke a device")
            // Earlier clients send no body.
            let body = input.request["Content-Type"] == nil ? nil : try await input.control()
            let invited = try await service.revoke(
                try replica(id), withInvited: body?["withInvited"]?.booleanValue ?? false, by: member)
            return timed(
                ("revoked", .boolean(true)), ("invited", invited.isEmpty ? nil : .array(invited.map(\.json))))
        case .setRole(let id):
            try service.check(member, atLeast: .owner, to: "change a role")
            let role = try await input.control().role("role")
            try await service.setRole(role, of: try replica(id), by: member)
            return timed(("role", .string(role.rawValue)))
        case .rotateToken:
            // Earlier clients send no body.
            let body = input.request["Content-Type"] == nil ? nil : try await input.control()
            let proposed = body?["token"] == nil ? nil : try body?.token("token")
            let former =
                body?["former"] == nil ? [] : try body?.hashes("former", countMax: SyncService.knownTokensMax) ?? []
            let new = try await service.rotate(token, to: proposed, endingAlso: former, of: member)
            return timed(("token", .string(new.text)))
        case .readSchema:
            let schema = try service.schema(for: member)
            return timed(
                ("version", .integer(schema.version)), ("schema", .string(schema.text)),
                accepting: input.acceptedEncoding)
        case .publishSchema:
            try service.check(member, atLeast: .owner, to: "publish a schema")
            let text = try await input.control(from: .init(member), bytesMax: input.schemaMessageBytesMax).text(
                "schema")
            return timed(("version", .integer(try await service.publishSchema(text, by: member))))
        case .renew: return try await renew(input, member)
        case .push, .pull, .recover, .health, .version, .createScope, .join, .knownToken:
            throw ProtocolError(.internalError, "Cannot answer: the route is answered elsewhere.")
        }
    }

    private func health() async throws -> Response {
        if let fault = await service.storageFault() {
            return timed(
                ("status", .string(fault.healthStatus)), ("reason", .string(fault.healthReason)),
                status: .serviceUnavailable)
        }
        let jump = try service.clockJump().map { jump in
            JSONValue.members(("from", .integer(jump.from)), ("to", .integer(jump.to)))
        }
        return timed(("status", .string("ok")), ("unconfirmedClockJump", jump))
    }

    // MARK: Records

    private func push(_ input: RequestInput) async throws -> Response {
        let (member, _) = try await member(input)
        let type = try input.contentType()
        let replyType = input.replyType(otherwise: type)
        var page = try input.query("since") == nil ? nil : try pageRequest(input)
        // A stored push has to be answered. The page is left out if there is no memory for it, because a pull returns it
        // too.
        if page != nil, !budget.hasRoom(for: .init(member)) { page = nil }
        guard member.role >= .editor else { return try await repeatedPush(input, replyType, by: member) }
        let body = try await input.body(as: type, from: .init(member))
        let deviceTime = input.request["Roost-Time"].flatMap { UInt64($0) }
        let reply = try await largeBodies.run(body.bytes.count) { [page] in
            try await service.push(
                body.bytes, as: type, replyAs: replyType, by: member, page: page, deviceTime: deviceTime
            ) { count in try rates.changes(count, by: member.replica, now: service.now) }
        }
        return try self.reply(reply, replyType, input.acceptedEncoding, to: member)
    }

    /// Answers with the reply to the replica's last push, if that has the requested number.
    private func pushReply(_ input: RequestInput, _ member: Principal) throws -> Response {
        guard let number = try input.number("number", in: 1...Int.max) else {
            throw ProtocolError(.badRequest, "Cannot look for a push: name it by the parameter \"number\".")
        }
        let hash = try input.query("hash").map { text throws(ProtocolError) in
            guard let hash = SHA256Digest.decode(text) else {
                throw ProtocolError(
                    .badRequest,
                    "Cannot read the parameter \"hash\": expected the SHA-256 of a push's body in hexadecimal.")
            }
            return hash
        }
        let type = input.replyType(otherwise: .json)
        guard let reply = try service.storedReply(toPush: UInt64(number), hash: hash, as: type, for: member) else {
            return Response(.noContent)
        }
        return try self.reply(reply, type, input.acceptedEncoding, to: member)
    }

    /// Answers a push of a viewer without parsing it. The stored reply is returned if the push is the last one that the
    /// device sent while it was an editor, and whose reply was lost.
    private func repeatedPush(
        _ input: RequestInput, _ type: MediaType, by member: Principal
    ) async throws -> Response {
        if try service.hasPushed(member) {
            let body = try await input.body(as: nil, from: .init(member))
            if let reply = try service.storedReply(to: body.bytes, as: type, for: member) {
                return try self.reply(reply, type, input.acceptedEncoding, to: member)
            }
        }
        throw ProtocolError(.forbidden, "Cannot push: this device is a viewer. Ask an owner for the role editor.")
    }

    private func recover(_ input: RequestInput) async throws -> Response {
        let (member, _) = try await member(input)
        try service.check(member, atLeast: .editor, to: "bring back what the server lost")
        let type = try input.contentType()
        let replyType = input.replyType(otherwise: type)
        let body = try await input.body(as: type, from: .init(member))
        let reply = try await largeBodies.run(body.bytes.count) {
            try await service.recover(body.bytes, as: type, replyAs: replyType, by: member) { count in
                try rates.changes(count, by: member.replica, now: service.now)
            }
        }
        return try self.reply(reply, replyType, input.acceptedEncoding, to: member)
    }

    private func pull(_ input: RequestInput) async throws -> Response {
        let (member, _) = try await member(input)
        let type = input.replyType(otherwise: .json)
        let request = try pageRequest(input)
        let seconds = try input.number("wait", in: 0...settings.limits.waitSecondsMax) ?? 0
        guard seconds > 0 else {
            let page = try await service.page(request, for: member)
            return try reply(page, type, input.acceptedEncoding, to: member)
        }
        guard let waiter = service.waitingRoom.enter(member.replica, in: member.scope) else {
            throw ProtocolError(
                .tooManyRequests,
                "Cannot wait: \(settings.limits.waitsPerReplicaMax) pulls of this device wait already. Use their answers.",
                retryAfter: 5)
        }
        var timer: Scheduled<Void>?
        let channel = input.request.channel
        defer {
            timer?.cancel()
            registry.forget(channel)
            service.waitingRoom.leave(waiter, member.replica, in: member.scope)
        }
        let page = try await service.page(request, for: member, waiter: waiter) {
            timer = channel.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) { waiter.wake(.timeUp) }
            registry.watch(channel) { waiter.wake(.closed) }
        }
        return try reply(page, type, input.acceptedEncoding, to: member)
    }

    private func pageRequest(_ input: RequestInput) throws(ProtocolError) -> PageRequest {
        PageRequest(
            since: try checkpoint(input), bytesMax: try input.number("limit", in: 1...Int.max),
            isAhead: try input.number("ahead", in: 0...1) == 1,
            takesIdentifiersAlone: try input.number("identifiers", in: 0...1) == 1)
    }

    private func checkpoint(_ input: RequestInput) throws(ProtocolError) -> Checkpoint? {
        guard let text = try input.query("since"), !text.isEmpty else { return nil }
        guard let checkpoint = Checkpoint(text) else {
            throw ProtocolError(
                .badRequest,
                "Cannot read the parameter \"since\": expected the checkpoint of a pull, in hexadecimal digits.")
        }
        return checkpoint
    }

    // MARK: Scopes and members

    private func createScope(_ input: RequestInput) async throws -> Response {
        try checkAdmin(input)
        let body = try await input.control(bytesMax: input.schemaMessageBytesMax)
        let registration = try await service.createScope(
            name: try body.text("name"), device: try body.text("device"), schema: try body.text("schema"),
            nonce: try body.text("nonce"), id: try body.scope("scope"))
        return json(registration.json, status: .created)
    }

    private func join(_ input: RequestInput) async throws -> Response {
        try checkAddress(input)
        let body = try await input.control()
        do {
            guard let invite = Token(try body.text("invite")), invite.kind == .invite else {
                throw ProtocolError(
                    .unauthorized, "Cannot join: the invite is mistyped or cut. Copy it again from its sender.")
            }
            let registration = try await service.join(
                invite: invite, device: try body.text("device"), nonce: try body.text("nonce"),
                scope: try body.scope("scope"))
            return json(registration.json, status: .created)
        } catch let error as ProtocolError where error.code == .unauthorized || error.code == .inviteUsed {
            try recordFailure(input)
            throw error
        }
    }

    /// Answers which of some tokens the server knows, by their hashes. If it knows none, that counts as a request without a
    /// valid token.
    private func knownToken(_ input: RequestInput) async throws -> Response {
        try checkAddress(input)
        let hashes = try await input.control().hashes("hashes", countMax: SyncService.knownTokensMax)
        let known = try service.known(hashes)
        if let replica = known?.replica {
            try rates.request(by: replica, now: service.now)
        } else {
            try recordFailure(input)
        }
        return timed(("known", known.map { .integer($0.index) }))
    }

    private func renew(_ input: RequestInput, _ member: Principal) async throws -> Response {
        let body = try await input.control()
        let reason = LogText.escaped(try body.text("reason"), charactersMax: 100)
        let registration = try await service.renew(member, reason: reason, nonce: try body.text("nonce"))
        return json(registration.json, status: .created)
    }

    private func createInvite(_ input: RequestInput, _ member: Principal) async throws -> Response {
        let body = try await input.control()
        let invite = try await service.createInvite(
            role: try body.role("role"), hours: try body.number("hours"), uses: try body.number("uses") ?? 1, by: member
        )
        return timed(invite.json, status: .created)
    }

    private func replica(_ text: String) throws(ProtocolError) -> ReplicaID {
        guard let id = ReplicaID(text) else {
            throw ProtocolError(
                .notFound, "Cannot find the device: this scope has none with that id. List the devices.")
        }
        return id
    }

    private func me(_ member: Principal) throws -> JSONValue {
        let standing = try service.standing(of: member)
        return .members(
            ("scope", .string(standing.scope.description)), ("scopeName", .string(standing.scopeName)),
            ("replica", .string(standing.replica.description)), ("role", .string(standing.role.rawValue)),
            ("schemaVersion", .integer(standing.schemaVersion)), ("lastPush", .integer(standing.lastPush)))
    }

    private func digest(_ member: Principal) throws -> JSONValue {
        let head = try service.head(for: member)
        return .members(
            ("sequence", .integer(head.sequence)), ("digest", .string(head.digest.description)),
            ("records", .integer(head.records)))
    }
}

extension StoreError {
    /// The status in the reply to `GET /v1/health`.
    fileprivate var healthStatus: String {
        switch self {
        case .damaged, .newerFormat, .foreignFile, .missing: "damaged"
        case .full, .busy, .failing, .cannotUndo: "storage_unavailable"
        }
    }

    /// The reason in the reply. The store's own message is only logged, because unauthenticated callers may read the
    /// health.
    fileprivate var healthReason: String {
        switch self {
        case .full: "The disk is full."
        case .busy: "Another program holds the database."
        case .failing, .cannotUndo: "The disk cannot be written; the log says why."
        case .damaged, .newerFormat, .foreignFile, .missing:
            "The stored data is damaged; the log says where. Restore a backup."
        }
    }
}
