internal import Foundation
internal import GRDB
package import RoostMerge
package import RoostModel

/// Runs histories of the test-vector schema through a real replica file, with the tables, merge and derivation that a pull
/// uses.
package final class ReplayEngine {
    private let replica: Replica
    private let folder: String

    /// Creates the replica file in a temporary folder, which is removed with the object.
    ///
    /// - Parameter identifiers: The form of the file's identifiers.
    package init(_ identifiers: IdentifierForm = .bytes) throws {
        folder = NSTemporaryDirectory() + "roost-replay-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let schema = try Schema(json: ReplayHistory.schemaText)
        replica = try Replica.create(
            at: folder + "/replay.roost", schema: schema, identifiers: identifiers, durability: .normal)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Applies the changes one by one, deriving visibility after each, and reads the visible tables.
    ///
    /// - Returns: The visible records as they read, and the liveness of every record.
    package func run(
        _ history: ReplayHistory
    ) throws -> (visible: [RecordID: ReplayHistory.Visible], reasons: [RecordID: Liveness]) {
        try replica.engineWrite("replay a history") { database in
            for change in history.changes {
                var page = try PageApplication(database, replica.layout, count: 1, now: 0)
                try page.merge(RecordState(change))
                _ = try page.finish()
            }
            let result = (try visible(database), try reasons(history, database))
            try clear(database)
            return result
        }
    }

    private func visible(_ database: Database) throws -> [RecordID: ReplayHistory.Visible] {
        guard let table = replica.layout[ReplayHistory.entity] else { return [:] }
        let rows = try RowStore(database, replica.layout)
        let stamps = EffectiveStamps(database: database, replica: .unregistered)
        var visible: [RecordID: ReplayHistory.Visible] = [:]
        let query = try database.query("SELECT \(table.columnList) FROM \(table.visible)")
        while try query.step() {
            guard let id = query.id(0) else { continue }
            let key = RecordKey(entity: table.entity, id: id)
            let masked = try rows.maskedReferences(of: key)
            var references: [PropertyID: RecordID?] = [:]
            for (index, column) in table.columns.enumerated() {
                let shown = query.id(Int32(index + 1))
                if shown != nil || masked[column.property] != nil { references[column.property] = .some(shown) }
            }
            guard let stamp = try stamps.of(key).put else { continue }
            visible[id] = .init(stamp: stamp, references: references)
        }
        return visible
    }

    private func reasons(_ history: ReplayHistory, _ database: Database) throws -> [RecordID: Liveness] {
        let explanation = try Explanation(database, replica.layout, replica: .unregistered)
        var reasons: [RecordID: Liveness] = [:]
        for change in history.changes where reasons[change.key.id] == nil {
            reasons[change.key.id] = try explanation.liveness(of: change.key)
        }
        return reasons
    }

    private func clear(_ database: Database) throws {
        let bookkeeping = ["fact", "raw", "kept", "dropped", "extra", "unfit", "journal", "event"].map { "roost_\($0)" }
        for table in replica.layout.tables.flatMap({ [$0.visible, $0.hidden] }) + bookkeeping {
            try database.query("DELETE FROM \(table)").run()
        }
        try StateStore(database: database).setDigest(ScopeDigest())
    }
}

extension RecordState {
    /// Makes the state of a record that has no other changes.
    package init(_ change: Change) {
        self.init(key: change.key)
        switch change.kind {
        case .put(let encoded, let base): put = PutSlot(stamp: change.stamp, base: base, encoded: encoded)
        case .delete: delete = change.stamp
        }
    }
}
