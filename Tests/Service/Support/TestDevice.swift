import RoostModel
import RoostProtocol
import RoostService

/// A device that pushes and pulls by itself, without a replica file.
struct TestDevice {
    var group: TestGroup
    let member: Principal
    let token: Token
    var number: UInt64 = 0
    var checkpoint: Checkpoint?
    /// The time of the device's last stamp, as `milliseconds << 16 | counter`.
    var clock: UInt64 = 0

    init(_ group: TestGroup, _ registration: Registration) async throws {
        self.group = group
        token = Token(registration.token) ?? group.noToken
        member = try await group.service.member(token)
    }

    /// Returns a put of a note with a new stamp.
    mutating func put(_ id: RecordID, _ title: String = "a", base: HybridTimestamp? = nil) -> Change {
        Change(key: TestGroup.key(id), stamp: stamp(), kind: .put(TestGroup.encoded(title), base: base))
    }

    mutating func delete(_ id: RecordID) -> Change {
        Change(key: TestGroup.key(id), stamp: stamp(), kind: .delete)
    }

    mutating func stamp() -> HybridTimestamp {
        clock = max(clock + 1, group.clock.now << 16)
        return HybridTimestamp(time: clock, replica: member.replica)
    }

    /// Pushes transactions under the next number, which is used up only on success.
    mutating func push(_ transactions: [[Change]], continues: Bool = false) async throws -> PushReply {
        var request = PushRequest(number: number + 1, checkpoint: checkpoint, transactions: [])
        request.transactions = transactions.map { .init(changes: $0) }
        if continues { request.transactions[transactions.count - 1].continues = true }
        let reply = try await send(request)
        number += 1
        return reply
    }

    mutating func push(_ changes: Change...) async throws -> PushReply {
        try await push([changes])
    }

    func send(_ request: PushRequest) async throws -> PushReply {
        try PushReply(protobuf: try await sendRaw(request.protobuf()))
    }

    func pushAndPull(
        _ request: PushRequest, since checkpoint: Checkpoint?, bytesMax: Int? = nil
    ) async throws -> PushReply {
        let page = PageRequest(since: checkpoint, bytesMax: bytesMax, takesIdentifiersAlone: true)
        let reply = try await group.service.push(
            request.protobuf(), as: .protobuf, replyAs: .protobuf, by: member, page: page)
        return try PushReply(protobuf: reply)
    }

    /// Pushes a put as a client that sends its own clock.
    mutating func push(_ change: Change, deviceTime: UInt64?) async throws {
        var request = PushRequest(number: number + 1, checkpoint: checkpoint, transactions: [])
        request.transactions = [.init(changes: [change])]
        _ = try await group.service.push(
            request.protobuf(), as: .protobuf, replyAs: .protobuf, by: member, deviceTime: deviceTime)
        number += 1
    }

    func sendRaw(_ body: [UInt8]) async throws -> [UInt8] {
        try await group.service.push(body, as: .protobuf, replyAs: .protobuf, by: member)
    }

    /// Pulls one page, and moves the checkpoint behind it.
    mutating func pull(bytesMax: Int? = nil) async throws -> PullReply {
        let page = try await page(since: checkpoint, bytesMax: bytesMax)
        checkpoint = page.checkpoint
        return page
    }

    func recover(_ records: [RecordState]) async throws -> RecoverReply {
        let body = RecoverRequest(records: records).protobuf()
        let reply = try await group.service.recover(body, as: .protobuf, replyAs: .protobuf, by: member)
        return try RecoverReply(protobuf: reply)
    }

    func page(
        since checkpoint: Checkpoint?, bytesMax: Int? = nil, isAhead: Bool = false, takesIdentifiersAlone: Bool = true
    ) async throws -> PullReply {
        let request = PageRequest(
            since: checkpoint, bytesMax: bytesMax, isAhead: isAhead, takesIdentifiersAlone: takesIdentifiersAlone)
        let page = try await group.service.pull(request, as: .protobuf, for: member)
        return try PullReply(protobuf: page)
    }
}
