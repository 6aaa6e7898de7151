internal import Replica
internal import Roost
internal import RoostModel
internal import RoostProtocol
internal import RoostService
internal import Session

/// The network: requests reach the server late, twice, in another order, or not at all, and so do its answers.
extension Simulation {
    /// The time for which a device waits for an answer, beyond the seconds for which the server may hold it.
    private static let patience: Int64 = 20_000

    func happen(_ event: EventQueue.Event) async throws {
        switch event {
        case .arrival(let message): try await arrive(message)
        case .answer(let message, let response): try deliver(message, Self.answer(to: message, response))
        case .failure(let message, let failure): try deliver(message, .failure(failure))
        case .timer(let index, let generation, let moment):
            let device = devices[index]
            guard device.generation == generation, device.timer == moment else { return }
            device.timer = nil
            try drive(device) { driver, now in driver.handle(.timerFired, at: now) }
        case .serverStart: try startServer()
        case .holdEnd(let message):
            guard let place = held.firstIndex(where: { $0.number == message.number }) else { return }
            held.remove(at: place)
            try await answerPull(message, mayHold: false)
        }
    }

    /// Passes an event to the device's session, and handles its consequences.
    func drive(_ device: SimulatedDevice, _ event: (inout SyncDriver, Moment) throws -> SyncDriver.Order?) throws {
        let now = Moment(milliseconds: clock.now)
        guard try carryOut(device, { try event(&$0, now) }) else { return }
        // The request of an unfinished step is on its way before the rest of the step is carried out.
        while device.driver?.isUnfinished == true {
            guard try carryOut(device, { $0.resume(at: now) }) else { return }
        }
        if let outcome = device.driver?.outcome { try ended(device, outcome) }
        setTimer(device)
        try look(at: device)
    }

    /// Carries out a step, and sends the request that it ends with.
    ///
    /// - Returns: Whether the device still runs.
    private func carryOut(
        _ device: SimulatedDevice, _ step: (inout SyncDriver) throws -> SyncDriver.Order?
    ) throws -> Bool {
        guard let order = try device.run({ try device.withDriver { try step(&$0) } }) else { return false }
        if device.disk.isDead {
            try crash(device)
            return false
        }
        if let order { send(order, from: device) }
        return true
    }

    private func setTimer(_ device: SimulatedDevice) {
        guard let deadline = device.driver?.deadline else {
            device.timer = nil
            return
        }
        guard device.timer != deadline else { return }
        device.timer = deadline
        queue.add(
            .timer(device: device.index, generation: device.generation, deadline),
            at: max(clock.now, deadline.milliseconds))
    }

    // MARK: From the device to the server

    private func send(_ order: SyncDriver.Order, from device: SimulatedDevice) {
        switch order.request {
        // A connection without a request has no effect on the server.
        case .connect: return
        case .pullAhead: counts[.prefetched] += 1
        case .pushAndPull(_, _, isPreconnected: true): counts[.preconnected] += 1
        default: break
        }
        underWay[device.index, default: [:]][order.lane] = transmit(order, from: device)
    }

    private func transmit(_ order: SyncDriver.Order, from device: SimulatedDevice) -> Message {
        messageCount += 1
        let message = Message(
            number: messageCount, device: device.index, generation: device.generation, order: order)
        transmit(message, from: device)
        return message
    }

    private func transmit(_ message: Message, from device: SimulatedDevice) {
        trace.note(
            "\(clock.now) d\(device.index) sends \(message.number) \(message.request.summary)", message.request.bytes)
        if sent.count < 200 { sent.append(message) }
        switch device.link {
        case .down:
            counts[.cut] += 1
            queue.add(.failure(message, .unreachable(message: "no route")), at: clock.now + 1)
        case .halfOpen:
            counts[.halfOpen] += 1
            queue.add(.failure(message, .timedOut(message: "no answer")), at: clock.now + Self.patience)
        case .up:
            if chance(conditions.requestLoss) {
                counts[.requestLost] += 1
                return queue.addFailure(message, at: clock.now + Self.patience)
            }
            if isStopped(message, of: device, patience: Self.patience) { return }
            let overtook = queue.add(.arrival(message), at: clock.now + delay())
            if overtook { counts[.reordered] += 1 }
            if chance(conditions.duplication) {
                counts[.duplicated] += 1
                repeatLater(message)
            }
        }
    }

    /// Repeats a request at a random later time. No device waits for the answer.
    func repeatLater(_ message: Message) {
        var repetition = message
        repetition.isRepetition = true
        queue.add(.arrival(repetition), at: clock.now + Int64.random(in: 0...30_000, using: &random))
    }

    private func delay() -> Int64 {
        let delay = Int64.random(in: 1...(isHealed ? 20 : conditions.delayMost), using: &random)
        if delay >= 1000 { counts[.delayed] += 1 }
        return delay
    }

    // MARK: At the server

    private func arrive(_ message: Message) async throws {
        guard server.isRunning else {
            guard !message.isRepetition else { return }
            queue.add(.failure(message, .unreachable(message: "connection refused")), at: clock.now + 1)
            return
        }
        noteLate(message)
        if isServerEmpty {
            counts[.serverEmpty] += 1
            explained.insert(message.number)
            if !message.isRepetition {
                devices[message.device].wasUnrecognised = true
                // A continuous session retries after five minutes, even if it is woken.
                pausedUntil = max(pausedUntil, clock.now + 310_000)
            }
            if case .findToken = message.request { return try reply(to: message, Self.knowsNoToken) }
            return try reply(to: message, Self.unrecognised)
        }
        switch message.request {
        case .push(let body):
            let response = await server.push(body, token: message.token, deviceTime: time(of: message))
            try await tookPush(message, body, response)
            try reply(to: message, response)
            try await wakeHeld()
        case .pushAndPull(let body, let since, _):
            let response = await server.push(
                body, page: PageRequest(since), token: message.token, deviceTime: time(of: message))
            try await tookPush(message, body, response)
            try reply(to: message, response)
            try await wakeHeld()
        case .connect: break
        case .pull, .pullAhead: try await answerPull(message, mayHold: true)
        case .schema: try reply(to: message, await server.schema(token: message.token))
        case .findToken(let hashes):
            let response = await server.known(hashes)
            if case .success(.foundToken(let index?)) = Self.answer(to: message, response), index > 0 {
                counts[.recalled] += 1
            }
            try reply(to: message, response)
        case .pushReply(let number, let hash):
            let response = await server.reply(toPush: number, hash: hash, token: message.token)
            // The push may now be divided, while its first version may still arrive.
            if case .message(let bytes) = response, bytes.isEmpty { checks.madeAnew.insert(message.device) }
            try reply(to: message, response)
        case .renew(let reason, let nonce):
            counts[.renewed] += 1
            try reply(to: message, await server.renew(reason: reason, nonce: nonce, token: message.token))
        case .recover(let records):
            if isRecoveryDivided { checks.comesApart = true }
            let response = await server.recover(records, token: message.token)
            try tookRecovery(message, records, response)
            try reply(to: message, response)
            try await wakeHeld()
        }
        try sawServer()
    }

    /// Answers a pull, or holds it while there is nothing new, as the server's waiting room does.
    private func answerPull(_ message: Message, mayHold: Bool) async throws {
        let (since, seconds, isAhead): ([UInt8]?, Int, Bool)
        switch message.request {
        case .pull(let checkpoint, let wait): (since, seconds, isAhead) = (checkpoint, wait, false)
        case .pullAhead(let checkpoint): (since, seconds, isAhead) = (checkpoint, 0, true)
        default: return
        }
        guard server.isRunning else {
            return queue.addFailure(message, at: clock.now + 1)
        }
        let response = await server.pull(since: since, isAhead: isAhead, token: message.token)
        counts[.pulls] += 1
        try await tookPull(message, since, response)
        if mayHold, seconds > 0, !message.isRepetition, case .message(let bytes) = response,
            let page = try? PullReply(protobuf: bytes), page.records.isEmpty, page.purged.isEmpty, !page.hasMore
        {
            held.append(message)
            queue.add(.holdEnd(message), at: clock.now + Int64(seconds) * 1000)
            return
        }
        try reply(to: message, response)
    }

    /// Tries every held pull again after new changes.
    func wakeHeld() async throws {
        let waiting = held
        held = []
        for message in waiting { try await answerPull(message, mayHold: true) }
    }

    private func reply(to message: Message, _ response: SimulatedServer.Response) throws {
        guard !message.isRepetition else { return }
        try judgeRefusal(response, of: message)
        let device = devices[message.device]
        if response == .none {
            queue.add(.failure(message, .unreachable(message: "connection reset")), at: clock.now + 1)
        } else if device.link != .up || chance(conditions.replyLoss) {
            counts[.replyLost] += 1
            if message.request.isPush, case .message = response { counts[.pushReplyLost] += 1 }
            queue.addFailure(message, at: clock.now + Self.patience)
        } else {
            let overtook = queue.add(.answer(message, response), at: clock.now + delay())
            if overtook { counts[.reordered] += 1 }
        }
    }

    // MARK: At the device again

    private func deliver(_ message: Message, _ result: Result<SyncDriver.Answer, SyncFailure>) throws {
        let device = devices[message.device]
        guard device.generation == message.generation, let order = underWay[message.device]?[message.lane],
            order.number == message.number, device.isOpen
        else { return }
        let message = order
        underWay[message.device]?[message.lane] = nil
        trace.note("\(clock.now) d\(message.device) hears of \(message.number): \(result.summary)")
        if case .failure(.refused(let error)) = result {
            if error.code == .clockAhead { counts[.clockAhead] += 1 }
            try checkRefusal(error, message)
        }
        if case .success(.pushIsNotStored) = result, queue.holdsPush(of: message.device) {
            // The first version of the divided push may still arrive, which is a fork for the server (decision 186).
            checks.madeAnew.insert(message.device)
        }
        try drive(device) { driver, now in driver.handle(.received(message.order, result), at: now) }
        try giveUpIfForgotten(device, result)
    }

    /// Retires a device that a restored server does not know. Its continuous session would wait for a server that knows it,
    /// which never happens; the user notices.
    private func giveUpIfForgotten(_ device: SimulatedDevice, _ result: Result<SyncDriver.Answer, SyncFailure>) throws {
        guard case .failure(.refused(let error)) = result, error.code == .unauthorized, device.driver != nil,
            try isForgotten(device)
        else { return }
        device.run { device.replica?.endCopyingLog() }
        stop(device)
        retire(device)
    }

    private static func answer(
        to message: Message, _ response: SimulatedServer.Response
    ) -> Result<SyncDriver.Answer, SyncFailure> {
        do {
            switch response {
            case .none: return .failure(.unreachable(message: "connection reset"))
            case .refused(let bytes): return .failure(.refused(try ProtocolError(json: try JSONParser.parse(bytes))))
            case .message(let bytes):
                switch message.request {
                case .pushReply where bytes.isEmpty: return .success(.pushIsNotStored)
                case .push, .pushAndPull, .pushReply: return .success(.push(try PushReply(protobuf: bytes)))
                case .pull, .pullAhead: return .success(.pull(try PullReply(protobuf: bytes)))
                case .connect: return .failure(.invalidReply(message: "a connection has no answer"))
                case .schema:
                    return .success(.schema(try JSONParser.parse(bytes)["schema"]?.stringValue ?? ""))
                case .renew: return .success(.renewed(try Registration(json: try JSONParser.parse(bytes))))
                case .recover: return .success(.recovered(try RecoverReply(protobuf: bytes)))
                case .findToken:
                    let index = try JSONParser.parse(bytes)["known"]?.integerValue
                    return .success(.foundToken(index.flatMap { Int(exactly: $0) }))
                }
            }
        } catch {
            return .failure(.invalidReply(message: "\(error)"))
        }
    }
}

extension EventQueue {
    /// Adds a failure without an answer: only the time-out reveals it.
    mutating func addFailure(_ message: Message, at time: Int64) {
        let text = "no answer in time"
        let failure = message.request.isPush ? SyncFailure.interrupted(message: text) : .timedOut(message: text)
        add(.failure(message, failure), at: time)
    }
}

extension SyncDriver.Request {
    var summary: String {
        switch self {
        case .push(let body): "push of \(body.count) bytes"
        case .connect(let since): "connection to push, pull since \(Self.summary(since))"
        case .pushAndPull(let body, let since, _): "push of \(body.count) bytes, pull since \(Self.summary(since))"
        case .pull(let since, let seconds): "pull since \(Self.summary(since)), wait \(seconds)"
        case .pullAhead(let since): "pull ahead since \(Self.summary(since))"
        case .schema: "schema"
        case .pushReply(let number, _): "reply to push \(number)"
        case .renew(let reason, _): "renew: \(reason)"
        case .recover(let records): "recover \(records.count) records"
        case .findToken(let hashes): "find one of \(hashes.count) tokens"
        }
    }

    private static func summary(_ checkpoint: [UInt8]?) -> String {
        checkpoint.map { Hex.encode($0.prefix(16).suffix(4)) } ?? "nothing"
    }

    var isAhead: Bool { if case .pullAhead = self { true } else { false } }

    /// The push that the request has.
    var pushed: [UInt8]? {
        switch self {
        case .push(let body), .pushAndPull(let body, _, _): body
        case .connect, .pull, .pullAhead, .schema, .pushReply, .renew, .recover, .findToken: nil
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .push(let body): body
        case .pushAndPull(let body, let since, _): body + (since ?? [])
        case .pull(let since, _), .connect(let since): since ?? []
        case .pullAhead(let since): since
        case .schema, .pushReply, .renew, .recover, .findToken: []
        }
    }
}

extension Result<SyncDriver.Answer, SyncFailure> {
    var summary: String {
        switch self {
        case .success(.push(let reply)):
            "push \(reply.number): \(reply.results.count) results"
                + (reply.page.map { ", page of \($0.records.count)" } ?? "")
        case .success(.pull(let page)): "page of \(page.records.count)\(page.hasMore ? ", more" : "")"
        case .success(.schema): "schema"
        case .success(.pushIsNotStored): "push is not stored"
        case .success(.pushIsUnknown): "push is unknown"
        case .success(.renewed(let registration)): "renewed as \(registration.replica)"
        case .success(.recovered(let reply)): "recovered \(reply.stored)"
        case .success(.foundToken(let index)): "knows token \(index.map(String.init) ?? "none")"
        case .failure(.refused(let error)): "\(error.code)"
        case .failure(.unreachable): "unreachable"
        case .failure(.timedOut): "timed out"
        case .failure(let failure): "\(failure)"
        }
    }
}
