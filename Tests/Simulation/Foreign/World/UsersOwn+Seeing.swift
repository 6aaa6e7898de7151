internal import RoostModel

/// Observation of the user's own objects right after a program of the user has written.
extension UsersOwn {
    /// Observes a write by another program. All current objects are as the user wants them.
    mutating func see(_ image: FileImage, _ tables: [ForeignTable]) {
        let synchronised = Set(tables.map(\.name))
        objects = [:]
        for object in image.objects where !object.name.hasPrefix("roost_") && !object.name.hasPrefix("sqlite_") {
            // A renamed table of Roost's gets its own name back.
            let isRenamed = synchronised.contains { object.name.hasPrefix($0 + "_user_old_") }
            if !synchronised.contains(object.name), !SampleSchema.isTable(object.name), !isRenamed {
                objects[object.name] = object.type
            }
        }
        // A program that drops a table or a trigger ends the derivation that it served.
        let triggers = Set(image.objects.filter { $0.type == "trigger" }.map(\.name))
        // Triggers follow a renamed column, even if a new one is added under its old name.
        let following = Set(
            image.objects.filter { $0.type == "trigger" && $0.has("_2\"") }.map(\.table)
        )
        func isKept(_ name: String) -> Bool { ["_i", "_u", "_d"].allSatisfy { triggers.contains(name + $0) } }
        mirrors = mirrors.filter { objects[$0.value] != nil && isKept($0.value) }
        fulltext = fulltext.filter { objects[$0.value] != nil && isKept($0.value) }
        // If a trigger rolls a pulled page back, Roost applies the page without user triggers (decision 163). Derived tables
        // are stale then.
        let rollsBack = image.objects.contains { $0.has("RAISE(ROLLBACK") }
        if rollsBack { (mirrors, fulltext) = ([:], [:]) }
        for table in tables {
            if following.contains(table.name) { (mirrors[table.entity], fulltext[table.entity]) = (nil, nil) }
            // A replaced table gets another name, with its columns.
            if image.isReplaced(table) {
                self.columns[table.entity] = []
                values = values.filter { $0.key.entity != table.entity }
                // Derived tables and indexes of a replaced table belong to the one that was set aside.
                (mirrors[table.entity], fulltext[table.entity]) = (nil, nil)
                continue
            }
            guard let rows = image.tables[table.entity] else {
                // A renamed table is recognised by its triggers. Otherwise the table is gone, with its columns.
                let isRenamed = image.objects.contains {
                    $0.type == "trigger" && $0.name == "roost_update_\(table.entity)"
                }
                if !isRenamed { self.columns[table.entity] = [] }
                continue
            }
            let columns =
                image.columns[table.entity]?.filter { name in
                    // A renamed column gets its own name back too.
                    name != "id" && table[name] == nil && !table.columns.contains { name == $0.name + "_2" }
                } ?? []
            self.columns[table.entity] = columns
            // A row that is deleted before Roost has seen a new column is kept without the column.
            for (key, row) in image.hidden where key.entity == table.entity && rows[key.id] == nil {
                values[key] = values[key]?.filter { row.columns[$0.key] != nil }
            }
            // Own columns of a row deleted without Roost's trigger are lost: the server has no copy of them.
            if !image.hasTrigger("delete", of: table) {
                values = values.filter { key, _ in
                    key.entity != table.entity || rows[key.id] != nil || image.hidden[key] != nil
                }
            }
            for (id, row) in rows { see(row, RecordKey(entity: table.entity, id: id), columns) }
        }
    }

    /// Observes a write by the library or by plain SQL. Rows that did not exist before are new to the user too.
    ///
    /// - Parameter replaces: Whether a put replaces an existing row, as plain SQL's does. The user's own columns are empty
    ///   then.
    mutating func see(
        _ image: FileImage, _ tables: [ForeignTable], of operations: [Operation], _ before: FileImage, replaces: Bool
    ) {
        for (place, operation) in operations.enumerated() {
            let key = operation.key
            // A record that is deleted and written again in one transaction is new too.
            let isReplaced = if replaces, case .put = operation { true } else { false }
            let isNew = isReplaced || before[key] == nil || operations[..<place].contains(.delete(key))
            guard operation != .delete(key), isNew, let row = image[key] else { continue }
            see(row, key, columns[key.entity] ?? [])
        }
    }

    private mutating func see(_ row: ForeignRow, _ key: RecordKey, _ columns: [String]) {
        let kept = columns.filter { !$0.hasPrefix("user_generated") }
        values[key] = kept.isEmpty ? nil : row.columns.filter { kept.contains($0.key) }
    }
}
