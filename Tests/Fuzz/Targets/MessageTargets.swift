import RoostModel
import RoostProtocol

/// The contents of records.
struct PutTarget: FuzzTarget {
    let samples: [[UInt8]] = [
        [],
        Put(
            references: [.init(relationship: PropertyID(3), target: RecordID(high: 1, low: 2))],
            content: ContentCoding.encode([
                .init(property: PropertyID(1), value: .text("Zoé")),
                .init(property: PropertyID(2), value: .integer(-5)),
                .init(property: PropertyID(4), value: .real(2.5)),
                .init(property: PropertyID(5), value: .bytes([1, 2, 3])),
                .init(property: PropertyID(6), value: .null), .init(property: PropertyID(7), value: .boolean(true)),
            ])
        ).encoded(),
    ]

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

/// The bodies of requests and replies, in both encodings: the first byte chooses the message.
struct MessageTarget: FuzzTarget {
    private let names: RecordJSON
    let samples: [[UInt8]]

    init() throws {
        let schema = try Schema(json: SchemaTarget.trip)
        names = RecordJSON(schema)
        let put = PutTarget().samples[1]
        let stamp = HybridTimestamp(milliseconds: 1_784_000_000_000, counter: 1, replica: ReplicaID(rawValue: 9))
        let key = RecordKey(entity: EntityID(2), id: RecordID(high: 3, low: 4))
        let state = RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: put), delete: stamp)
        let recover = RecoverRequest(records: [state])
        let json =
            #"{"number":"1","transactions":[{"changes":[{"entity":"Spending","id":"00000000-0000-0003-0000-000000000004","stamp":"019f5e8a00000001000000000000000900000000","put":{"content":"Taxi","amount":"1250"}}]}]}"#
        samples =
            [[0] + recover.protobuf(), [1] + Array(json.utf8)]
            + [[2] + recover.protobuf(), [3] + ((try? recover.json(names).encoded) ?? [])]
            + (4...9).map { [UInt8($0)] + ($0.isMultiple(of: 2) ? recover.protobuf() : Array(json.utf8)) }
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
