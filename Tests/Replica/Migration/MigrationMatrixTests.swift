import GRDB
import RoostModel
import TestScope
import Testing

@testable import Replica

/// A migrated file equals a new file of the later version that has received the same changes: tables, rows and bookkeeping.
@Suite struct MigrationMatrixTests {
    @Test(arguments: MigrationCase.all)
    func aMigratedFileIsAsOneThatWasMadeByTheLaterVersion(_ item: MigrationCase) throws {
        let (old, new) = (try Schema(json: item.old), try Schema(json: item.new))
        for seed in UInt64(0)..<3 {
            var random = SplitMix64(state: seed)
            // Devices of both versions write into the scope.
            var writers = [RandomRecords(old, seed: seed), RandomRecords(new, seed: seed ^ 77)]
            let pages = (0..<8).map { _ in writers[Int.random(in: 0...1, using: &random)].page(6) }
            let migrated = try TemporaryReplica(item.old)
            let made = try TemporaryReplica(item.new)
            let before = Int.random(in: 0...8, using: &random)
            for page in pages[..<before] { try migrated.take(page) }
            try migrated.migrate(to: new)
            for page in pages[before...] { try migrated.take(page) }
            for page in pages { try made.take(page) }
            let (left, right) = (try migrated.tables(), try made.tables())
            #expect(left.keys.sorted() == right.keys.sorted(), "\(item), seed \(seed)")
            for (name, rows) in right { #expect(left[name] == rows, "\(item), seed \(seed), table \(name)") }
            #expect(try migrated.replica.digest() == made.replica.digest())
            #expect(try migrated.unlikeTheirHash(new) == [], "\(item), seed \(seed)")
        }
    }

    /// One version does not know some fields, and the next one knows them again.
    @Test(arguments: MigrationCase.reversible)
    func aFileGoesThereAndBack(_ item: MigrationCase) throws {
        let versions = try [item.old, item.new, item.back].map { try Schema(json: $0) }
        for seed in UInt64(0)..<3 {
            var random = SplitMix64(state: seed)
            var writers = versions.enumerated().map { RandomRecords($1, seed: seed * 10 + UInt64($0)) }
            let pages = (0..<9).map { _ in writers[Int.random(in: 0...2, using: &random)].page(6) }
            let migrated = try TemporaryReplica(item.old)
            let made = try TemporaryReplica(item.back)
            for (number, version) in versions.enumerated() {
                if number > 0 { try migrated.migrate(to: version) }
                for page in pages[(number * 3)..<(number * 3 + 3)] { try migrated.take(page) }
            }
            for page in pages { try made.take(page) }
            let (left, right) = (try migrated.tables(), try made.tables())
            #expect(left.keys.sorted() == right.keys.sorted(), "\(item), seed \(seed)")
            for (name, rows) in right { #expect(left[name] == rows, "\(item), seed \(seed), table \(name)") }
            #expect(try migrated.unlikeTheirHash(versions[2]) == [], "\(item), seed \(seed)")
        }
    }

    @Test(arguments: MigrationCase.all)
    func whatWaitsArrivesWhenSomeAreMigratedAndSomeAreNot(_ item: MigrationCase) throws {
        let (old, new) = (try Schema(json: item.old), try Schema(json: item.new))
        for seed in UInt64(0)..<2 {
            var random = SplitMix64(state: seed)
            let replicas = try (1...3).map { try TemporaryReplica($0 == 3 ? item.new : item.old, id: UInt64($0)) }
            var writers = [old, old, new].enumerated().map { RandomRecords($1, seed: seed * 10 + UInt64($0)) }
            let scope = MemoryScope(changesPerPush: 3)
            let migration = Int.random(in: 0..<12, using: &random)
            for step in 0..<12 {
                let index = Int.random(in: 0..<3, using: &random)
                try writers[index].write(to: replicas[index], 4)
                if step == migration {
                    try replicas[0].migrate(to: new)
                    writers[0] = RandomRecords(new, seed: seed ^ 5)
                }
                if Bool.random(using: &random) { try scope.synchronise(replicas[index].replica) }
            }
            for _ in 0..<2 { for replica in replicas { try scope.synchronise(replica.replica) } }
            let fresh = try TemporaryReplica(item.new, id: 9)
            try scope.synchronise(fresh.replica)
            for replica in [replicas[0], replicas[2]] {
                let (left, right) = (try replica.tables(), try fresh.tables())
                for (name, rows) in right { #expect(left[name] == rows, "\(item), seed \(seed), table \(name)") }
                #expect(try replica.replica.status().waiting == 0)
            }
            // The replica that is not migrated has all changes too, and shows them after its migration.
            #expect(try replicas[1].replica.digest() == scope.digest)
            try replicas[1].migrate(to: new)
            let (left, right) = (try replicas[1].tables(), try fresh.tables())
            for (name, rows) in right { #expect(left[name] == rows, "\(item), seed \(seed), late, table \(name)") }
        }
    }
}

extension TemporaryReplica {
    func take(_ page: [RecordState]) throws { _ = try replica.apply(page, checkpoint: [1], serverTime: nil) }

    func migrate(to schema: Schema) throws { try migrate(by: MigrationPlan(to: schema)) }

    func migrate(by plan: MigrationPlan) throws {
        try replica.close()
        replica = try Replica(opening: path, migrating: plan, durability: .normal)
    }

    /// Returns all tables, indexes and triggers by name, each with its statement and its rows, except times and order.
    func tables() throws -> [String: [String]] {
        try plain.read { database in
            var tables: [String: [String]] = [:]
            let items = try Row.fetchAll(
                database, sql: "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
            for item in items {
                let (type, name): (String, String) = (item["type"], item["name"])
                var lines = [(item["sql"] as String?) ?? ""]
                if type == "table" { lines += try contents(of: name, database) }
                tables["\(type) \(name)"] = lines
            }
            return tables
        }
    }

    private static let passedOver: Set = [
        "roost_event", "roost_state", "roost_history", "roost_control", "roost_journal", "roost_journal_day",
        "roost_outbox",
    ]

    private func contents(of table: String, _ database: Database) throws -> [String] {
        guard !Self.passedOver.contains(table) else { return [] }
        // A reference of a hidden record may be stored in its column or next to it, depending on how the record was hidden.
        let isHidden = replica.layout.tables.first { $0.hidden == "\"\(table)\"" }
        if let isHidden { return try hiddenContents(isHidden, database) }
        let rows = try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\"")
        return try rows.filter { try table != "roost_raw" || isVisible($0, database) }.map { row in
            row.databaseValues.map(Self.text).joined(separator: ", ")
        }.sorted()
    }

    private static func text(_ value: DatabaseValue) -> String {
        if case .blob(let data) = value.storage { Hex.encode(Array(data)) } else { "\(value)" }
    }

    private func hiddenContents(_ table: EntityTable, _ database: Database) throws -> [String] {
        let rows = try RowStore(database, replica.layout)
        let query = try database.query("SELECT id, roost_deleted FROM \(table.hidden) ORDER BY id")
        return try query.all { ($0.id(0), $0.integer(1)) }.map { id, mark in
            let put = try id.flatMap { try rows.encodedPut(of: RecordKey(entity: table.entity, id: $0)) }
            return "\(id?.description ?? "none"), \(mark), \(put.map { Hex.encode($0) } ?? "none")"
        }
    }

    private func isVisible(_ row: Row, _ database: Database) throws -> Bool {
        let entity: Int64 = row["entity"]
        guard let table = replica.layout[EntityID(UInt32(entity))] else { return true }
        return try Row.fetchOne(database, sql: "SELECT 1 FROM \(table.visible) WHERE id = ?", arguments: [row["id"]])
            != nil
    }

    /// Returns records without pending changes whose rows do not have the server's content.
    func unlikeTheirHash(_ schema: Schema) throws -> [RecordKey] {
        try replica.engineLook("compare") { database in
            let rows = try RowStore(database, replica.layout)
            let stamps = EffectiveStamps(database: database, replica: .unregistered)
            let keys = try database.query("SELECT entity, id FROM roost_fact").all { $0.key(0) }.compactMap { $0 }
            return try keys.filter { key in
                guard let hash = try stamps.confirmed(key).put?.hash else { return false }
                return try rows.encodedPut(of: key).map { ContentHash(of: $0) } != hash
            }
        }
    }
}
