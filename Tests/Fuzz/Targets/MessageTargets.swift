import RoostModel
import RoostProtocol

/// The contents of records.
struct PutTarget: FuzzTarget {
    let samples: [[UInt8]] = [
        [],
        Put(
            references: [.init(relationship: PropertyID(3), target: RecordID(high: 1, low: 2))],
            content: ContentCoding.encode([
                .init(property: PropertyID(1), value: .string("Zoé")),
                .init(property: PropertyID(2), value: .integer(-5)),
                .init(property: PropertyID(4), value: .double(2.5)),
                .init(property: PropertyID(5), value: .data([1, 2, 3])),
                .init(property: PropertyID(6), value: .null), .init(property: PropertyID(7), value: .boolean(true)),
            ])
        ).encoded(),
    ]

    /// Returns a put of the second entity of ``SchemaTarget/trip``.
    static func sample() -> [UInt8] {
        Put(
            references: [.init(relationship: PropertyID(3), target: RecordID(high: 1, low: 2))],
            content: ContentCoding.encode([
                .init(property: PropertyID(1), value: .string("Zoé")),
                .init(property: PropertyID(2), value: .integer(-5)),
            ])
        ).encoded()
    }

    func play(_ input: [UInt8]) throws -> String {
        let put: Put
        do { put = try Put(encoded: input) } catch { return Self.kind(of: error) }
        guard let again = try? Put(encoded: put.encoded()), again.encoded() == put.encoded() else {
            throw FuzzFailure("a put that was written reads otherwise")
        }
        do {
            let fields = try ContentCoding.decode(put.content)
            let encoded = ContentCoding.encode(fields)
            guard (try? ContentCoding.decode(encoded)).map(ContentCoding.encode) == encoded else {
                throw FuzzFailure("fields that were written read otherwise")
            }
            return "\(fields.count.signum())\(put.references.count.signum())"
        } catch let error as ContentError { return Self.kind(of: error) }
    }
}

/// The bodies of requests and replies in both encodings. The first byte chooses the message.
struct MessageTarget: FuzzTarget {
    private let names: RecordJSON
    let samples: [[UInt8]]

    init() throws {
        let schema = try Schema(json: SchemaTarget.trip)
        names = RecordJSON(schema)
        let put = PutTarget.sample()
        let stamp = HybridTimestamp(milliseconds: 1_784_000_000_000, counter: 1, replica: ReplicaID(rawValue: 9))
        let key = RecordKey(entity: EntityID(2), id: RecordID(high: 3, low: 4))
        let state = RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: put), delete: stamp)
        let other = HybridTimestamp(milliseconds: 1_784_000_000_001, counter: 0, replica: ReplicaID(rawValue: 8))
        let page = PullReply(
            records: [state], purged: [key], checkpoint: Checkpoint(bytes: [9, 8]), hasMore: true,
            digest: ScopeDigest("000102030405060708090a0b0c0d0e0f"), schemaVersion: 3, serverTime: 1_784_021_400_000)
        let push = PushRequest(
            number: 12, checkpoint: Checkpoint(bytes: [1, 2, 3]),
            transactions: [
                .init(changes: [
                    Change(key: key, stamp: stamp, kind: .put(put, base: other)),
                    Change(key: key, stamp: other, kind: .delete),
                ])
            ])
        let reply = PushReply(
            number: 12,
            results: [
                .accepted(sequence: 99, outcomes: [.init(index: 0, kind: .beaten, other: other)]), .staged,
                .refused(.init(code: .gone, message: "Cannot edit it: it was purged.", index: 0)),
            ], current: [state], serverTime: 1_784_021_400_000, page: page)
        let messages: [any Message] = [
            push, RecoverRequest(records: [state]), page, reply,
            RecoverReply(stored: 300, purged: [key], serverTime: 1_784_021_400_000),
        ]
        samples = try messages.enumerated().flatMap { kind, message in
            [
                [UInt8(kind * 2)] + message.protobuf(),
                [UInt8(kind * 2 + 1)] + (try message.json(RecordJSON(schema)).encoded),
            ]
        }
        // A refused sample would exercise none of the code that it is made for.
        for sample in samples where try !play(sample).utf8.elementsEqual("\(Self.name(sample[0])) taken".utf8) {
            throw FuzzFailure("the sample \(sample[0]) is refused: \(try play(sample))")
        }
    }

    private static func name(_ kind: UInt8) -> String {
        ["PushRequest", "RecoverRequest", "PullReply", "PushReply", "RecoverReply"][Int(kind % 10 / 2)]
    }

    func play(_ input: [UInt8]) throws -> String {
        guard let kind = input.first else { return "nothing" }
        let body = Array(input.dropFirst())
        let type: MediaType = kind.isMultiple(of: 2) ? .protobuf : .json
        return switch kind % 10 / 2 {
        case 0: try read(PushRequest.self, body, type)
        case 1: try read(RecoverRequest.self, body, type)
        case 2: try read(PullReply.self, body, type)
        case 3: try read(PushReply.self, body, type)
        default: try read(RecoverReply.self, body, type)
        }
    }

    private func read<Body: Message>(_ message: Body.Type, _ bytes: [UInt8], _ type: MediaType) throws -> String {
        let value: Body
        do { value = try Body(bytes, as: type, names) } catch { return "\(message) \(Self.kind(of: error))" }
        let encoded = value.protobuf()
        guard let again = try? Body(encoded, as: .protobuf, names), again.protobuf() == encoded else {
            throw FuzzFailure("a \(message) that was written reads otherwise")
        }
        return "\(message) taken"
    }
}
