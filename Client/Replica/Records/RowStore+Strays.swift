internal import RoostModel

extension RowStore {
    /// Finds records whose row no confirmed put and no local change accounts for.
    func strays() throws -> [RecordKey] {
        try layout.tables.flatMap { table in
            try [table.visible, table.hidden].flatMap { place in
                try database.query(straysSQL(place, table)).all { $0.id(0) }.compactMap { $0 }
                    .map { RecordKey(entity: table.entity, id: $0) }
            }
        }
    }

    /// Whether any record has a row that no confirmed put and no local change accounts for.
    func hasStrays() throws -> Bool {
        try layout.tables.contains { table in
            try [table.visible, table.hidden].contains { place in
                try database.query(straysSQL(place, table) + " LIMIT 1").first { _ in true } ?? false
            }
        }
    }

    private func straysSQL(_ place: String, _ table: EntityTable) -> String {
        """
        SELECT p."id" FROM \(place) AS p WHERE NOT EXISTS
          (SELECT 1 FROM roost_fact AS f WHERE f.entity = \(table.entity) AND f.id = p."id" AND f.put_stamp IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM roost_outbox AS o WHERE o.entity = \(table.entity) AND o.id = p."id")
        """
    }
}
