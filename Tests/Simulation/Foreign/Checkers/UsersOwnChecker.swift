internal import RoostModel

/// I30: the user's own objects exist in the file, and their values are the ones that the user wrote.
enum UsersOwnChecker {
    /// - Parameter isPurged: Returns whether a record was purged, together with the values of the user's own columns in its
    ///   row.
    static func check(
        _ image: FileImage, _ own: UsersOwn, _ tables: [ForeignTable], device: Int, isPurged: (RecordKey) -> Bool
    ) throws {
        let present = Dictionary(image.objects.map { ($0.name, $0.type) }) { $1 }
        for (name, type) in own.objects.sorted(by: { $0.key < $1.key }) where present[name] != type {
            throw Violation(.usersOwn, "replica \(device): the user's \(type) \(name) is gone")
        }
        for table in tables {
            let columns = own.columns[table.entity] ?? []
            guard !columns.isEmpty, let rows = image.tables[table.entity] else { continue }
            for (id, row) in rows.sorted(by: { $0.key < $1.key }) {
                let key = RecordKey(entity: table.entity, id: id)
                for column in columns {
                    guard let value = row.columns[column] else {
                        throw Violation(
                            .usersOwn, "replica \(device): the user's column \(table.name).\(column) is gone")
                    }
                    guard let expected = own.values[key]?[column], expected != value, !isPurged(key) else { continue }
                    throw Violation(
                        .usersOwn,
                        "replica \(device): the user's \(column) of \(key.short) reads \(value.short), and was \(expected.short)"
                    )
                }
            }
        }
    }
}
