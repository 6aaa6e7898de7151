internal import RoostModel

/// The user's own things as they are right after a program of the user wrote.
extension UsersOwn {
    /// Another program has written: whatever is there now is as the user wants it.
    mutating func see(_ image: FileImage, _ tables: [ForeignTable]) {
        let synchronised = Set(tables.map(\.name))
        objects = [:]
        for object in image.objects where !object.name.hasPrefix("roost_") && !object.name.hasPrefix("sqlite_") {
            // A table of Roost's under another name gets its own again.
            let isRenamed = synchronised.contains { object.name.hasPrefix($0 + "_user_old_") }
            if !synchronised.contains(object.name), !SampleSchema.isTable(object.name), !isRenamed {
                objects[object.name] = object.type
            }
        }
        // Whoever drops a table or a trigger ends what it kept in step.
        let triggers = Set(image.objects.filter { $0.type == "trigger" }.map(\.name))
        // Triggers follow a column that is renamed, also where one is added under its name.
        let following = Set(
            image.objects.filter { $0.type == "trigger" && $0.has("_2\"") }.map(\.table)
        )
        func isKept(_ name: String) -> Bool { ["_i", "_u", "_d"].allSatisfy { triggers.contains(name + $0) } }
        mirrors = mirrors.filter { objects[$0.value] != nil && isKept($0.value) }
        fulltext = fulltext.filter { objects[$0.value] != nil && isKept($0.value) }
        // A trigger that rolls a pulled page back makes Roost apply it without any (decision 163): what others keep in step is stale then.
        let rollsBack = image.objects.contains { $0.has("RAISE(ROLLBACK") }
        if rollsBack { (mirrors, fulltext) = ([:], [:]) }
        for table in tables {
            if following.contains(table.name) { (mirrors[table.entity], fulltext[table.entity]) = (nil, nil) }
            // It gets another name, with its columns.
            if image.isReplaced(table) {
                self.columns[table.entity] = []
                values = values.filter { $0.key.entity != table.entity }
                // Derived tables and indexes of a replaced table are those of the one set aside.
                (mirrors[table.entity], fulltext[table.entity]) = (nil, nil)
                continue
            }
            guard let rows = image.tables[table.entity] else {
                // Under another name it is known by its triggers; otherwise it is gone, with its columns.
                let isRenamed = image.objects.contains {
                    $0.type == "trigger" && $0.name == "roost_update_\(table.entity)"
                }
                if !isRenamed { self.columns[table.entity] = [] }
                continue
            }
            let columns =
                image.columns[table.entity]?.filter { name in
                    // So does a column.
                    name != "id" && table[name] == nil && !table.columns.contains { name == $0.name + "_2" }
                } ?? []
            self.columns[table.entity] = columns
            // A row that is deleted before Roost has seen a new column is kept without it.
            for (key, row) in image.hidden where key.entity == table.entity && rows[key.id] == nil {
                values[key] = values[key]?.filter { row.columns[$0.key] != nil }
            }
            // Own columns of a row that is deleted without a trigger are lost: the server has no copy of them.
            if !triggers.contains("roost_delete_\(table.entity)") {
                values = values.filter { key, _ in
                    key.entity != table.entity || rows[key.id] != nil || image.hidden[key] != nil
                }
            }
            for (id, row) in rows { see(row, RecordKey(entity: table.entity, id: id), columns) }
        }
    }

    /// The library or plain SQL has written: rows that were not there before are new to the user too.
    ///
    /// - Parameter replaces: Whether a put replaces a row that is there, as plain SQL's does: its own columns are empty then.
    mutating func see(
        _ image: FileImage, _ tables: [ForeignTable], of operations: [Operation], _ before: FileImage, replaces: Bool
    ) {
        for (place, operation) in operations.enumerated() {
            let key = operation.key
            // A record that is deleted and written again in one transaction is new, too.
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
