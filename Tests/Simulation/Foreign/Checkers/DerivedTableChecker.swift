internal import RoostModel

/// I30: the user's triggers keep a derived table equal to its synchronised table, for writes of all programs.
enum DerivedTableChecker {
    static func check(_ connection: ForeignConnection, _ own: UsersOwn, _ tables: [ForeignTable], device: Int) throws {
        for table in tables {
            if let mirror = own.mirrors[table.entity] {
                let sql = """
                    SELECT count(*) FROM (SELECT id, text, number FROM \(mirror) EXCEPT SELECT id, text, number FROM \(table.name)
                      UNION ALL SELECT id, text, number FROM (SELECT id, text, number FROM \(table.name)
                        EXCEPT SELECT id, text, number FROM \(mirror)))
                    """
                guard let count = try connection.rows(sql).first?.first, count != .integer(0) else { continue }
                throw Violation(
                    .usersOwn,
                    "replica \(device): \(mirror), which triggers keep, differs from \(table.name) in \(count.literal) rows"
                )
            }
            guard let index = own.fulltext[table.entity] else { continue }
            do {
                try connection.execute("INSERT INTO \(index)(\(index), rank) VALUES ('integrity-check', 1)")
            } catch let failure as ForeignConnection.Failure where failure.code == 11 {
                throw Violation(
                    .usersOwn, "replica \(device): the full-text index \(index) does not agree with \(table.name)")
            }
        }
    }
}
