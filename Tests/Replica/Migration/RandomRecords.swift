import GRDB
import RoostModel

@testable import Replica

/// Random records of a schema: as pulled slots, and as statements of a plain program.
struct RandomRecords {
    let schema: Schema
    var random: SplitMix64
    private var time: UInt64 = 1_000

    init(_ schema: Schema, seed: UInt64) {
        self.schema = schema
        random = SplitMix64(state: seed)
    }

    private static let idCount: UInt64 = 5

    mutating func page(_ count: Int) -> [RecordState] { (0..<count).map { _ in state() } }

    private mutating func id() -> RecordID {
        RecordID(high: 0, low: UInt64.random(in: 1...Self.idCount, using: &random))
    }

    private mutating func stamp() -> HybridTimestamp {
        time += UInt64.random(in: 1...3, using: &random)
        return HybridTimestamp(milliseconds: time, counter: 0, replica: ReplicaID(rawValue: 9))
    }

    private mutating func state() -> RecordState {
        let entity = schema.recordEntities.randomElement(using: &random)!
        let key = RecordKey(entity: entity.id, id: id())
        var state = RecordState(key: key)
        if Int.random(in: 0..<5, using: &random) > 0 {
            state.put = .init(stamp: stamp(), base: nil, encoded: put(entity).encoded())
        }
        if state.put == nil || Int.random(in: 0..<8, using: &random) == 0 { state.delete = stamp() }
        return state
    }

    /// Draws a put that mostly fits the schema. A field that is left out has its default or null.
    private mutating func put(_ entity: Entity) -> Put {
        var put = Put()
        var fields: [ContentCoding.Field] = []
        for attribute in entity.attributes {
            let isLeftOut = Int.random(in: 0..<20, using: &random) == 0
            if attribute.isOptional, attribute.defaultValue != nil, Int.random(in: 0..<3, using: &random) == 0 {
                fields.append(.init(property: attribute.id, value: .null))
                continue
            }
            let mayBe = attribute.isOptional || attribute.defaultValue != nil
            if isLeftOut || (mayBe && Bool.random(using: &random)) { continue }
            fields.append(.init(property: attribute.id, value: attribute.narrowed(value(attribute.kind))))
        }
        put.content = ContentCoding.encode(fields.sorted { $0.property < $1.property })
        for reference in entity.references where Int.random(in: 0..<3, using: &random) > 0 {
            put.references.append(.init(relationship: reference.id, target: id()))
        }
        put.references.sort { $0.relationship < $1.relationship }
        return put
    }

    private mutating func value(_ kind: Attribute.Kind) -> Value {
        let number = Int64.random(in: 0...3, using: &random)
        return switch kind {
        case .string: .string(["", "x", "é'", "2026-01-0\(number + 1)"].randomElement(using: &random)!)
        case .integer, .timestamp: .integer(number)
        case .double: .double(Double(number) / 2)
        case .boolean: .boolean(number > 1)
        case .date: .string("2026-01-0\(number + 1)")
        case .uuid: .data(id().bytes)
        case .data: .data([UInt8(number)])
        case .json: .string("[\(number)]")
        }
    }

    /// Makes some writes of a program without Roost's code. A deny rule may refuse one, which then leaves no effect.
    mutating func write(to replica: TemporaryReplica, _ count: Int) throws {
        for _ in 0..<count {
            let statement = statement()
            do {
                try replica.sql(statement)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
        }
    }

    private mutating func statement() -> String {
        let entity = schema.entities.randomElement(using: &random)!
        let table = "\"\(entity.name.lowercased())\""
        let record = literal(.data(id().bytes))
        guard Int.random(in: 0..<4, using: &random) > 0 else { return "DELETE FROM \(table) WHERE id = \(record)" }
        var values: [(String, String)] = entity.attributes.map { ("\"\($0.name)\"", literal(value($0.kind))) }
        values += entity.references.map { reference in
            ("\"\(reference.name)\"", Bool.random(using: &random) ? "NULL" : literal(.data(id().bytes)))
        }
        if Bool.random(using: &random), let one = values.randomElement(using: &random) {
            return "UPDATE \(table) SET \(one.0) = \(one.1) WHERE id = \(record)"
        }
        let names = (["id"] + values.map(\.0)).joined(separator: ", ")
        return
            "INSERT OR REPLACE INTO \(table)(\(names)) VALUES (\(([record] + values.map(\.1)).joined(separator: ", ")))"
    }

    private func literal(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .string(let text): "'\(text.replacing("'", with: "''"))'"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .boolean(let flag): flag ? "1" : "0"
        case .data(let bytes): "x'\(Hex.encode(bytes))'"
        }
    }
}
