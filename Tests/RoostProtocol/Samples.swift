import RoostModel
import RoostProtocol

/// One of each message with every field filled, and one with as little as possible.
enum Samples {
    static let replica = ReplicaID(rawValue: 0xABCD)
    static let id = RecordID(high: 0x0102_0304_0506_0708, low: 9)

    static func stamp(_ milliseconds: UInt64) -> HybridTimestamp {
        HybridTimestamp(milliseconds: milliseconds, counter: 3, replica: replica)
    }

    static func names() throws -> RecordJSON {
        RecordJSON(
            try Schema(
                json: """
                    {"format": 1, "name": "test", "entities": [{"id": 1, "name": "Person", "attributes": [
                      {"id": 1, "name": "name", "type": "string"}, {"id": 2, "name": "age", "type": "integer"}],
                      "relationships": [
                      {"id": 3, "name": "boss", "kind": "toOne", "destination": "Person", "inverse": "staff"},
                      {"id": 4, "name": "staff", "kind": "toMany", "destination": "Person", "inverse": "boss"}]}]}
                    """))
    }

    static let put = Put(
        references: [.init(relationship: PropertyID(3), target: id)],
        content: ContentCoding.encode([
            .init(property: PropertyID(1), value: .string("Ana")), .init(property: PropertyID(2), value: .integer(-7)),
        ])
    ).encoded()

    private static let key = RecordKey(entity: EntityID(1), id: id)

    static let push = PushRequest(
        number: 12, checkpoint: Checkpoint(bytes: [1, 2, 3]),
        transactions: [
            .init(changes: [
                Change(key: key, stamp: stamp(10), kind: .put(put, base: stamp(5))),
                Change(key: key, stamp: stamp(11), kind: .delete),
            ]),
            .init(
                changes: [
                    Change(
                        key: RecordKey(entity: EntityID(70_000), id: id), stamp: stamp(12), kind: .put([], base: nil))
                ], continues: true),
        ])

    static let records = [
        RecordState(
            key: key, put: .init(stamp: stamp(10), base: stamp(5), encoded: put), delete: stamp(9)),
        RecordState(key: RecordKey(entity: EntityID(2), id: id), put: .init(stamp: stamp(1), base: nil, encoded: [])),
        RecordState(key: key, delete: stamp(4)),
    ]

    static let reply = PushReply(
        number: 12,
        results: [
            .accepted(
                sequence: 99,
                outcomes: [
                    .init(index: 0, kind: .beaten, other: stamp(20)), .init(index: 4, kind: .replaced, other: stamp(2)),
                ]),
            .accepted(sequence: 100, outcomes: []), .staged,
            .refused(.init(code: .gone, message: "Cannot edit it: it was purged.", index: 0)),
            .refused(.init(code: .tooLarge, message: "Cannot take it: it is too large.")),
        ], current: records, serverTime: 1_784_021_400_000)

    static let page = PullReply(
        records: records, purged: [key, RecordKey(entity: EntityID(70_000), id: id)],
        checkpoint: Checkpoint(bytes: [9, 8]), hasMore: true,
        digest: ScopeDigest("000102030405060708090a0b0c0d0e0f"), schemaVersion: 3, serverTime: 1_784_021_400_000)

    static let recovery = RecoverRequest(records: records)
    static let recovered = RecoverReply(stored: 300, purged: [key], serverTime: 1_784_021_400_000)

    static let pushes = [PushRequest(number: 1, checkpoint: nil, transactions: []), push]
    static let replies = [
        PushReply(number: 1, results: [], serverTime: 0), reply,
        PushReply(number: 2, results: [.staged], serverTime: 5, page: page),
    ]
    static let pages = [
        PullReply(
            records: [], checkpoint: Checkpoint(bytes: [0]), hasMore: false, digest: nil, schemaVersion: 1,
            serverTime: 0),
        page,
    ]
}
