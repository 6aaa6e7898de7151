internal import GRDB
internal import RoostModel

/// The records with confirmed slots, read in batches, because the handling of one may change the table.
struct ConfirmedKeys {
    let database: Database

    private static let keysAtOnce = 500

    /// Calls `body` with each chosen record in key order; entries that name no record are skipped.
    ///
    /// - Parameter choice: A WHERE clause, which may follow joins, about the rows `f` of `roost_fact`.
    func forEach(_ choice: String, _ body: (RecordKey) throws -> Void) throws {
        let sql = """
            SELECT f.entity, f.id FROM roost_fact f \(choice) AND (f.entity, f.id) > (?1, ?2)
            ORDER BY f.entity, f.id LIMIT \(Self.keysAtOnce)
            """
        var place = (entity: Int64.min, id: [UInt8]())
        while true {
            let query = try database.query(sql)
            query.bind(1, place.entity)
            query.bind(2, identifierBytes: place.id)
            var keys: [RecordKey] = []
            var count = 0
            while try query.step() {
                count += 1
                place = (query.integer(0), query.bytes(1))
                if let key = query.key(0) { keys.append(key) }
            }
            for key in keys { try body(key) }
            guard count == Self.keysAtOnce else { return }
        }
    }
}
