import Foundation
import GRDB
import Predicates
import Replica
import RoostModel
import RoostSQLite
import TestSupport

/// Two copies of the same records: in memory, where predicates are evaluated, and in a replica, where their SQL runs.
final class PredicateWorld {
    /// The records that a predicate selects, from the replica and in memory.
    struct Selection {
        var sql: Set<RecordID>
        var direct: Set<RecordID>
    }

    let schema: Schema
    private(set) var records: [String: [RecordID: MemoryRecord]] = [:]
    private(set) var links: [String: [(source: RecordID, target: RecordID)]] = [:]
    private let replica: Replica
    private let queue: DatabaseQueue
    private let folder: URL
    private var count: UInt64 = 0
    /// The records that refer to a record, by entity and to-one relationship.
    private var inverses: [String: [RecordID: [MemoryRecord]]] = [:]

    init() throws {
        schema = try Schema(json: Self.schemaText)
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        replica = try Replica.create(
            at: folder.appending(path: "test.roost").path, schema: schema, identifiers: .tested,
            durability: .normal)
        var configuration = Configuration()
        configuration.identifiers = .tested
        configuration.prepareDatabase { PredicateFunctions.register(in: $0, .tested) }
        queue = try DatabaseQueue(path: replica.path, configuration: configuration)
    }

    deinit {
        try? queue.close()
        try? replica.close()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: Making records

    @discardableResult
    func add(_ entity: String, _ values: [String: Value]) -> RecordID {
        count += 1
        let id = RecordID(high: UInt64(entity.utf8.first ?? 0) << 56, low: count)
        records[entity, default: [:]][id] = MemoryRecord(id, entity, values, self)
        return id
    }

    /// - Parameter relationship: The relationship that owns the links.
    func link(_ entity: String, _ relationship: String, _ source: RecordID, _ target: RecordID) {
        links["\(entity)_\(relationship)", default: []].append((source, target))
    }

    /// Writes all records to the replica.
    func store() throws {
        try replica.write("fill") { transaction in
            for (entity, all) in records {
                for (id, record) in all { try transaction.put(entity, id: id, record.values) }
            }
            for (name, pairs) in links {
                let entity = schema.recordEntities.first { $0.name == name }
                for pair in pairs {
                    let id = Schema.linkID(of: entity?.id ?? EntityID(0), source: pair.source, target: pair.target)
                    try transaction.put(
                        name, id: id, ["source": .data(pair.source.bytes), "target": .data(pair.target.bytes)])
                }
            }
        }
        index()
    }

    func delete(_ entity: String, _ ids: [RecordID]) throws {
        try replica.write("delete") { transaction in
            for id in ids { try transaction.delete(entity, id: id) }
        }
        for id in ids { records[entity]?[id] = nil }
        let gone = Set(ids)
        links = links.mapValues { $0.filter { !gone.contains($0.source) && !gone.contains($0.target) } }
        index()
    }

    private func index() {
        inverses = [:]
        for entity in schema.entities {
            for record in (records[entity.name] ?? [:]).values {
                for relationship in entity.relationships where relationship.kind == .toOne {
                    guard let target = record.named(relationship.name) else { continue }
                    inverses["\(entity.name).\(relationship.name)", default: [:]][target, default: []].append(record)
                }
            }
        }
    }

    func naming(_ id: RecordID, _ entity: String, _ relationship: String) -> [MemoryRecord] {
        inverses["\(entity).\(relationship)"]?[id] ?? []
    }

    // MARK: Asking

    func select(_ predicate: FetchPredicate, _ entity: String) throws -> Selection {
        let bound = try predicate.bound(to: schema, entity: entity)
        let direct = try (records[entity] ?? [:]).values.filter { try bound.matches($0) }.map(\.recordID)
        return Selection(sql: try identifiers(try bound.selectIdentifiers()), direct: Set(direct))
    }

    func identifiers(_ statement: SQLFragment) throws -> Set<RecordID> {
        Set(try list(statement))
    }

    /// The identifiers that a statement gives, in its order.
    func list(_ statement: SQLFragment) throws -> [RecordID] {
        try queue.read { database in
            try Data.fetchAll(database, sql: statement.text, arguments: statement.statementArguments(.tested))
        }.compactMap { RecordID(bytes: IdentifierForm.tested == .bytes ? Array($0) : Hex.decode($0) ?? []) }
    }

    /// The plan that SQLite makes for a statement.
    func plan(_ statement: SQLFragment) throws -> [String] {
        try queue.read { database in
            try Row.fetchAll(
                database, sql: "EXPLAIN QUERY PLAN " + statement.text, arguments: statement.statementArguments(.tested))
        }.map { $0["detail"] }
    }

    func execute(_ sql: String) throws {
        try queue.write { try $0.execute(sql: sql) }
    }

    static let schemaText = """
        {"format": 1, "name": "world", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [
            {"id": 1, "name": "name", "type": "string"},
            {"id": 2, "name": "nickname", "type": "string", "optional": true},
            {"id": 3, "name": "age", "type": "integer", "optional": true},
            {"id": 4, "name": "weight", "type": "double", "optional": true},
            {"id": 5, "name": "active", "type": "boolean", "default": true},
            {"id": 6, "name": "born", "type": "date", "optional": true},
            {"id": 7, "name": "seen", "type": "timestamp", "optional": true},
            {"id": 8, "name": "token", "type": "uuid", "optional": true},
            {"id": 9, "name": "image", "type": "data", "optional": true},
            {"id": 10, "name": "info", "type": "json", "optional": true}],
           "relationships": [
            {"id": 11, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person"},
            {"id": 12, "name": "approved", "kind": "toMany", "destination": "Spending", "inverse": "approver",
             "deleteRule": "noAction"},
            {"id": 13, "name": "boss", "kind": "toOne", "destination": "Person", "inverse": "team"},
            {"id": 14, "name": "team", "kind": "toMany", "destination": "Person", "inverse": "boss"},
            {"id": 15, "name": "friends", "kind": "manyToMany", "destination": "Person", "inverse": "friendOf"},
            {"id": 16, "name": "friendOf", "kind": "manyToMany", "destination": "Person", "inverse": "friends"},
            {"id": 17, "name": "passport", "kind": "toMany", "destination": "Passport", "inverse": "holder",
             "single": true},
            {"id": 18, "name": "mentor", "kind": "toOne", "destination": "Person", "inverse": "pupil"},
            {"id": 19, "name": "pupil", "kind": "toMany", "destination": "Person", "inverse": "mentor",
             "single": true, "deleteRule": "noAction"}]},
          {"id": 2, "name": "Spending", "attributes": [
            {"id": 1, "name": "amount", "type": "integer"},
            {"id": 2, "name": "rate", "type": "double", "optional": true},
            {"id": 3, "name": "note", "type": "string", "optional": true},
            {"id": 4, "name": "day", "type": "date", "optional": true},
            {"id": 5, "name": "at", "type": "timestamp", "optional": true},
            {"id": 6, "name": "paid", "type": "boolean", "default": false}],
           "relationships": [
            {"id": 7, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"},
            {"id": 8, "name": "approver", "kind": "toOne", "destination": "Person", "inverse": "approved"},
            {"id": 9, "name": "tags", "kind": "manyToMany", "destination": "Tag", "inverse": "spendings"},
            {"id": 10, "name": "passport", "kind": "toOne", "destination": "Passport", "inverse": "uses"}]},
          {"id": 3, "name": "Tag", "attributes": [
            {"id": 1, "name": "name", "type": "string"},
            {"id": 2, "name": "weight", "type": "integer", "optional": true}],
           "relationships": [
            {"id": 3, "name": "spendings", "kind": "manyToMany", "destination": "Spending", "inverse": "tags"},
            {"id": 4, "name": "parent", "kind": "toOne", "destination": "Tag", "inverse": "children"},
            {"id": 5, "name": "children", "kind": "toMany", "destination": "Tag", "inverse": "parent"}]},
          {"id": 4, "name": "Passport", "attributes": [
            {"id": 1, "name": "number", "type": "string"},
            {"id": 2, "name": "pages", "type": "integer", "optional": true}],
           "relationships": [
            {"id": 3, "name": "holder", "kind": "toOne", "destination": "Person", "inverse": "passport"},
            {"id": 4, "name": "uses", "kind": "toMany", "destination": "Spending", "inverse": "passport"}]}]}
        """
}
