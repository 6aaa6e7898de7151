internal import RoostModel

/// The user's own things as they are right after a program of the user wrote.
extension UsersOwn {
    /// Another program has written: whatever is there now is as the user wants it.
    mutating func see(_ image: FileImage, _ tables: [ForeignTable]) {
        let synchronised = Set(tables.map(\.name))
        objects = [:]
        for object in image.objects where !object.name.hasPrefix("roost_") && !object.name.hasPrefix("sqlite_") {
            if !synchronised.contains(object.name), !SampleSchema.isTable(object.name) {
                objects[object.name] = object.type
            }
        }
        // Whoever drops a table or a trigger ends what it kept in step.
        let triggers = Set(image.objects.filter { $0.type == "trigger" }.map(\.name))
        func isKept(_ name: String) -> Bool { ["_i", "_u", "_d"].allSatisfy { triggers.contains(name + $0) } }
        mirrors = mirrors.filter { objects[$0.value] != nil && isKept($0.value) }
        fulltext = fulltext.filter { objects[$0.value] != nil && isKept($0.value) }
        for table in tables {
            guard let rows = image.tables[table.entity] else { continue }
            let columns = image.columns[table.entity]?.filter { $0 != "id" && table[$0] == nil } ?? []
            self.columns[table.entity] = columns
            for (id, row) in rows { see(row, RecordKey(entity: table.entity, id: id), columns) }
        }
    }

    /// The library or plain SQL has written: rows that were not there before are new to the user too.
    mutating func see(_ image: FileImage, _ tables: [ForeignTable], of operations: [Operation], _ before: FileImage) {
        for operation in operations {
            guard case .put(let key, _, _, _, _) = operation, before[key] == nil, let row = image[key] else { continue }
            see(row, key, columns[key.entity] ?? [])
        }
    }

    private mutating func see(_ row: ForeignRow, _ key: RecordKey, _ columns: [String]) {
        let kept = columns.filter { !$0.hasPrefix("user_generated") }
        values[key] = kept.isEmpty ? nil : row.columns.filter { kept.contains($0.key) }
    }
}
