import Foundation
import Replica
import Roost
import RoostModel
import RoostProtocol
import Session
import TestPlainSQL

/// A driver over a real replica, whose orders the test answers one by one.
final class ScriptedServer {
    let replica: Replica
    var driver: SyncDriver
    var now = Moment(milliseconds: 0)
    private let folder: URL

    // Expectations would copy the driver, which is not copyable.
    var outcome: SyncOutcome? { driver.outcome }
    var report: SyncReport { driver.report }
    var deadline: Moment? { driver.deadline }
    var wantsDevices: Bool { driver.wantsDevices }
    var isUnfinished: Bool { driver.isUnfinished }
    func awaits(_ order: SyncDriver.Order) -> Bool { driver.awaits(order) }

    /// The first request of a step, before ``resume()`` carries out the rest.
    func beginStart() throws -> SyncDriver.Order? { try driver.start(at: now) }
    func beginAnswer(_ order: SyncDriver.Order, _ answer: SyncDriver.Answer) -> SyncDriver.Order? {
        driver.handle(.received(order, .success(answer)), at: now)
    }
    func resume() -> SyncDriver.Order? { driver.resume(at: now) }

    init(
        _ mode: SyncMode = .once(attemptsMax: 3), limits: Limits = Limits(), manyChanges: Int = 500
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-script-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        replica = try Self.joinedReplica(in: folder, server: "http://127.0.0.1:1", token: "old token")
        driver = SyncDriver(
            replica, mode, seed: 7, limits: limits, manyChanges: manyChanges,
            wallClock: { Int64(Date().timeIntervalSince1970 * 1000) })
    }

    /// Creates a replica that belongs to a scope of a server.
    static func joinedReplica(in folder: URL, server: String, token: String) throws -> Replica {
        let replica = try Replica.create(
            at: folder.appending(path: "a.roost").path, schema: try Schema(json: schema), durability: .normal)
        try replica.join(
            Membership(
                scope: ScopeID(RecordID(high: 1, low: 1)), scopeName: "list", replica: ReplicaID(rawValue: 1),
                server: server, token: token, role: .editor, deviceName: "a"))
        return replica
    }

    static let schema = """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}]}]}
        """

    deinit {
        try? replica.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func write(_ name: String) throws {
        try replica.write("add \(name)") {
            try $0.put("Person", id: key(name).id, ["name": .string(name)])
        }
    }

    /// Carries out the rest of a step whose request went ahead of it.
    ///
    /// - Returns: The last request of the step.
    private func finish(_ first: SyncDriver.Order?) -> SyncDriver.Order? {
        var order = first
        while driver.isUnfinished { order = driver.resume(at: now) ?? order }
        return order
    }

    func start() throws -> SyncDriver.Order? { finish(try driver.start(at: now)) }
    func localChange() -> SyncDriver.Order? { finish(driver.handle(.localChange, at: now)) }
    func timerFired() -> SyncDriver.Order? { finish(driver.handle(.timerFired, at: now)) }

    func fail(
        _ order: SyncDriver.Order, _ failure: SyncFailure = .timedOut(message: "slow")
    ) -> SyncDriver.Order? {
        finish(driver.handle(.received(order, .failure(failure)), at: now))
    }

    func answer(_ order: SyncDriver.Order, _ answer: SyncDriver.Answer) -> SyncDriver.Order? {
        finish(driver.handle(.received(order, .success(answer)), at: now))
    }

    func refuse(_ order: SyncDriver.Order, _ code: ErrorCode, serverTime: UInt64? = nil) -> SyncDriver.Order? {
        fail(order, .refused(ProtocolError(code, "Refused", serverTime: serverTime)))
    }

    /// Makes the file look like a copy of the file that was synchronised last.
    func forgetPlace() throws {
        try plain("update roost_state set value = 'elsewhere' where name = 'fingerprint'")
    }

    /// Runs a statement as a program that knows only SQLite.
    func plain(_ sql: String) throws {
        let plain = try PlainSQL(replica.path)
        try plain.execute(sql)
        try plain.close()
    }

    func registration(_ identity: UInt64) -> SyncDriver.Answer {
        .renewed(
            Registration(
                scope: ScopeID(RecordID(high: 1, low: 1)), scopeName: "list", replica: ReplicaID(rawValue: identity),
                token: "new token", role: .editor, schema: "", serverTime: 0))
    }

    /// The content of a person.
    func content(_ name: String) -> [UInt8] {
        ContentCoding.encode([.init(property: PropertyID(1), value: .string(name))])
    }

    /// The wall clock, in milliseconds since 1970.
    var wall: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// A reply that accepts everything.
    func accepted(
        _ body: [UInt8], page: PullReply? = nil, serverTime: UInt64 = 0
    ) throws -> SyncDriver.Answer {
        let push = try PushRequest(protobuf: body)
        let results = push.transactions.map { _ in PushReply.Result.accepted(sequence: 1, outcomes: []) }
        return .push(PushReply(number: push.number, results: results, serverTime: serverTime, page: page))
    }

    /// The digest of a scope that contains nothing but the puts of a push.
    func digest(after body: [UInt8]) throws -> ScopeDigest {
        var digest = ScopeDigest()
        for change in try PushRequest(protobuf: body).transactions.flatMap(\.changes) {
            guard case .put(let encoded, _) = change.kind else { continue }
            let put = SlotStamps.PutStamp(stamp: change.stamp, hash: ContentHash(of: encoded))
            digest.replace(SlotStamps(), with: SlotStamps(put: put), of: change.key)
        }
        return digest
    }

    /// A page with one person of another device.
    func page(_ name: String, at time: UInt64 = 1 << 16) -> PullReply {
        let stamp = HybridTimestamp(time: time, replica: ReplicaID(rawValue: 2))
        let put = Put(references: [], content: content(name)).encoded()
        let record = RecordState(
            key: RecordKey(entity: EntityID(1), id: RecordID(high: 5, low: 5)),
            put: .init(stamp: stamp, base: nil, encoded: put))
        return PullReply(
            records: [record], checkpoint: Checkpoint(bytes: [1, 2, 3]), hasMore: false, digest: nil, schemaVersion: 1,
            serverTime: UInt64(wall))
    }

    func page(_ records: [RecordState] = [], digest: ScopeDigest?, serverTime: UInt64? = nil) -> SyncDriver.Answer {
        .pull(
            PullReply(
                records: records, checkpoint: Checkpoint(bytes: [1, 2, 3]), hasMore: false, digest: digest,
                schemaVersion: 1, serverTime: serverTime ?? UInt64(Date().timeIntervalSince1970 * 1000)))
    }

    /// The last page, which names a person of this replica as purged.
    func page(purged name: String) -> SyncDriver.Answer {
        .pull(
            PullReply(
                records: [], purged: [key(name)], checkpoint: Checkpoint(bytes: [1, 2, 3]), hasMore: false, digest: nil,
                schemaVersion: 1, serverTime: UInt64(wall)))
    }

    func key(_ name: String) -> RecordKey {
        RecordKey(entity: EntityID(1), id: RecordID(high: 2, low: UInt64(name.utf8.first ?? 0)))
    }

    var clockOffset: Int64 {
        get throws {
            guard case .integer(let offset) = try replica.select("select clock_offset from roost_control")[0][0] else {
                return .max
            }
            return offset
        }
    }
}

extension SyncDriver.Request {
    /// The push that it carries.
    var pushed: [UInt8]? {
        switch self {
        case .push(let body), .pushAndPull(let body, _, _): body
        case .connect, .pull, .pullAhead, .pushReply, .schema, .renew, .recover, .findToken: nil
        }
    }
}
