internal import Replica
internal import RoostModel

/// The validation of objects before a save. Each problem names the object, the property and the remedy, and all problems are
/// reported together.
struct Validation {
    let context: ObjectContext
    let objects: [ManagedObject]

    /// Checks the objects, and that no edit of the context was lost.
    ///
    /// - Throws: ``ObjectError`` with the code of the first operation that failed where one did, `denied` where delete rules are
    ///   the only problem, otherwise `validation`.
    func check() throws {
        let written = objects.filter { $0.state != .deleted && context.hidden[$0.objectID] == nil }
        let faults = written.flatMap(faults)
        let denials = try denials(of: objects.filter { $0.state == .deleted })
        let problems = faults + denials
        // The failures are taken last, because a class may have caused more of them in ``ManagedObject/validate()``.
        if let failure = ObjectError.combining(context.takeFailures(), and: problems) { throw failure }
        guard let first = problems.first else { return }
        let code = faults.isEmpty ? ObjectError.Code.denied : .validation
        guard problems.count > 1 else { throw ObjectError(code, "Cannot save: \(first)") }
        throw ObjectError(code, "Cannot save, for \(problems.count) reasons:", problems: problems)
    }

    /// Discards changes of hidden objects that are not valid, because the program can no longer make them valid.
    func giveUpHidden() {
        for object in objects where object.state != .deleted && context.hidden[object.objectID] != nil {
            guard object.layout.columns.contains(where: { fault(of: $0, in: object) != nil }) else { continue }
            if object.state == .inserted {
                object.state = .gone
            } else if let committed = object.committed {
                object.values = committed
            }
            context.recordNoChange(of: object)
        }
    }

    private func faults(of object: ManagedObject) -> [String] {
        var faults = object.layout.columns.compactMap { isLost($0, in: object) ? nil : fault(of: $0, in: object) }
        if let fault = sizeFault(of: object) { faults.append("\(object) \(fault)") }
        do {
            try object.validate()
        } catch {
            faults.append("\(object): \(error)")
        }
        return faults
    }

    /// Whether the last edit of a property was lost. Its failure is the problem then, and not the value.
    private func isLost(_ column: StoredProperty, in object: ManagedObject) -> Bool {
        guard context.failures.hasLostEdits else { return false }
        return context.failures.lost(LostEdit(object: object.objectID, property: column.id)) != nil
    }

    private func fault(of column: StoredProperty, in object: ManagedObject) -> String? {
        let value = object.values[column.index]
        switch column.kind {
        case .reference(let reference):
            guard value == .null, reference.isRequired else { return nil }
            return "\(object): \"\(column.name)\" names no object. Set it to one."
        case .attribute(let attribute):
            guard value != .null else {
                return attribute.isOptional ? nil : "\(object): \"\(column.name)\" has no value. Give it one."
            }
            // A value without edits may have been written by another program, and does not prevent an edit of other properties.
            if let committed = object.committed, committed[column.index] == value { return nil }
            return attribute.kind.fault(of: value).map { "\(object): \"\(column.name)\" \($0.reason). \($0.cure)" }
        }
    }

    /// Explains why an object is too large to be sent, whatever its store is: a program finds the limit with its first tests in
    /// memory. The store checks what it writes again, because it merges edits of others.
    private func sizeFault(of object: ManagedObject) -> String? {
        // Numbers and the frame of a value have fewer than 32 bytes.
        let most = object.values.reduce(0) { $0 + $1.byteCount + 32 }
        guard most > RecordLimits.bytesMax else { return nil }
        let columns = object.layout.columns
        let references = columns.compactMap { column in
            object.values[column.index].recordID.flatMap { target in
                column.reference.map { _ in Put.Reference(relationship: column.id, target: target) }
            }
        }
        let fields = columns.compactMap { column in
            column.attribute.flatMap { attribute -> ContentCoding.Field? in
                let value = object.values[column.index]
                guard value != .null || attribute.defaultValue != nil else { return nil }
                return ContentCoding.Field(property: column.id, value: value)
            }
        }
        let put = Put(references: references, content: ContentCoding.encode(fields))
        return RecordLimits.fault(of: put.encoded(), columns: columns.count) { object.layout.column($0)?.name }
    }

    // MARK: Deny

    private func denials(of deleted: [ManagedObject]) throws -> [String] {
        var problems: [String] = []
        for (entity, objects) in Dictionary(grouping: deleted, by: \.objectID.entity).sorted(by: {
            $0.key.rawValue < $1.key.rawValue
        }) {
            for (rule, holder, column) in context.model.incoming(entity) where rule.deleteRule == .deny {
                let found = try context.referrers(to: objects.map(\.objectID), holder, column)
                let counts = Dictionary(grouping: found.filter { $0.id != $0.target }, by: \.target).mapValues(\.count)
                for object in objects {
                    guard let count = counts[object.objectID] else { continue }
                    problems.append(denial(of: object, holder, column, count))
                }
            }
        }
        return problems
    }

    private func denial(
        of object: ManagedObject, _ holder: EntityDescription, _ column: StoredProperty, _ count: Int
    ) -> String {
        guard !holder.isLink else {
            return "\(object) cannot be deleted: \(count) of \"\(holder.name)\" still link it. Remove those first."
        }
        return
            "\(object) cannot be deleted: \(count) \(holder.name) name it as \"\(column.name)\". Delete them, or give them another \"\(column.name)\", first."
    }
}
