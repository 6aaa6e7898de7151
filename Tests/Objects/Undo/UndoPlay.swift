import Objects
import Replica
import RoostModel
import TestPlainSQL
import TestScope
import Testing

/// A context with an undo history, the changes of its groups, and other writers of the same records.
struct UndoPlay {
    enum Direction { case undo, redo }

    /// A group's change of an object: the values in the context before and after; `nil` where the object did not exist.
    typealias Change = (before: [PropertyID: Value]?, after: [PropertyID: Value]?)

    let library: TestLibrary
    let context: ObjectContext
    private let there: TestLibrary
    private let scope = MemoryScope()
    private var random: SplitMix64
    private var done: [[ObjectID: Change]] = []
    private var undone: [[ObjectID: Change]] = []
    /// Whether the newest group is unsaved.
    private var isUnsaved = false
    private var known: Set<ObjectID> = []
    /// Objects that are on display. They stay in the context, with the values that it has read.
    private var shown: [ManagedObject] = []

    init(seed: UInt64) throws {
        random = SplitMix64(state: seed)
        library = try TestLibrary(device: 1)
        there = try TestLibrary(device: 2)
        context = library.context()
        var made: [ManagedObject] = []
        for number in 0..<2 {
            let author = try context.make("Author", "a\(number)")
            let shelf = try context.make("Shelf", "s\(number)")
            made += [author, shelf, try context.make("Book", "b\(number)", ["author": author, "shelf": shelf])]
        }
        known = Set(made.map(\.objectID))
        try context.save()
        shown = made
        context.undoHistory = UndoHistory()
        for library in [library, there] { try scope.synchronise(library.replica) }
    }

    mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func any(_ entity: String, _ context: ObjectContext) throws -> ManagedObject? {
        let objects = try context.fetch(FetchRequest<ManagedObject>(entity))
        return objects.isEmpty ? nil : objects[number(objects.count)]
    }

    // MARK: Writing

    /// Saves the group before, and makes a group of edits.
    mutating func edit() throws {
        try context.save()
        let before = try contents()
        let groups = context.undoHistory?.undoNames.count
        try context.group("edit") {
            let count = 1 + number(3)
            for _ in 0..<count { try write(context, isAlone: count == 1) }
        }
        guard context.undoHistory?.undoNames.count != groups else { return }
        let after = try contents()
        shown += try context.objects(with: Array(after.keys))
        var group: [ObjectID: Change] = [:]
        // Objects hidden by the delete of another one have no change of their own.
        let gone = Set(context.deletedObjects.map(\.objectID))
        for id in Set(before.keys).union(after.keys) where before[id] != after[id] {
            if after[id] == nil, !gone.contains(id) { continue }
            group[id] = (before[id], after[id])
        }
        done.append(group)
        undone = []
        isUnsaved = number(3) == 0
        if !isUnsaved { try context.save() }
    }

    /// Makes one edit of a record by another context, plain SQL, or another device.
    mutating func others() throws {
        switch number(4) {
        case 0:
            let other = library.context()
            try write(other)
            try other.save()
        case 1:
            guard let book = try any("Book", library.context()) else { return }
            let id =
                "x'\(book.objectID.record.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
            let writes = ["title = 'sql\(number(3))'", "pages = pages + 1", "shelf = NULL"]
            let sql =
                number(4) == 0
                ? "DELETE FROM book WHERE id = \(id)" : "UPDATE book SET \(writes[number(3)]) WHERE id = \(id)"
            try PlainSQL(library.replica.path).execute(sql)
        case 2:
            // A page with changes of the other device, which may not have the changes made here.
            let other = there.context()
            try write(other)
            try other.save()
            try scope.push(there.replica)
            try scope.pull(library.replica)
        default: for library in [library, there] { try scope.synchronise(library.replica) }
        }
    }

    /// - Parameter isAlone: Whether the group has no other edit. Only then may a delete hide objects, because none of them was
    ///   edited in the group.
    private mutating func write(_ context: ObjectContext, isAlone: Bool = true) throws {
        let book = try any("Book", context)
        switch number(9) {
        case 0, 1, 2: try book?.set("title", to: .string("t\(number(4))"))
        case 3: try book?.set("pages", to: .integer(Int64(number(4))))
        case 4: try book?.set("shelf", to: try any("Shelf", context))
        case 5: try book?.set("author", to: try any("Author", context))
        case 6: try any("Author", context)?.set("name", to: .string("n\(number(4))"))
        case 7:
            let links = try any("Shelf", context).map { ["shelf": $0] } ?? [:]
            known.insert(try context.make("Book", "n\(number(4))", links).objectID)
        default:
            guard let object = try any(["Book", "Book", "Shelf", "Author"][number(isAlone ? 4 : 3)], context) else {
                return
            }
            try context.delete(object)
        }
    }

    /// Returns the values of each object in the context, with masked references as they are stored: no edit has set them to nil.
    private func contents() throws -> [ObjectID: [PropertyID: Value]] {
        let masked = try references()
        var contents: [ObjectID: [PropertyID: Value]] = [:]
        for entity in library.replica.schema.entities where ["Author", "Book", "Shelf"].contains(entity.name) {
            for object in try context.fetch(FetchRequest<ManagedObject>(entity.name)) {
                var values: [PropertyID: Value] = [:]
                for attribute in entity.attributes {
                    let value = try object.value(of: attribute.name)
                    if value != .null { values[attribute.id] = value }
                }
                for reference in entity.references {
                    if let id = try object.objectID(of: reference.name) {
                        values[reference.id] = .data(id.record.bytes)
                    } else if object.changedValues[reference.name] == nil {
                        values[reference.id] = masked[object.objectID]?[reference.id]
                    }
                }
                contents[object.objectID] = values
            }
        }
        return contents
    }

    /// Returns the stored references that are masked.
    private func references() throws -> [ObjectID: [PropertyID: Value]] {
        let other = library.context()
        let book = try #require(library.replica.schema.entity(named: "Book"))
        var masked: [ObjectID: [PropertyID: Value]] = [:]
        for object in try other.fetch(FetchRequest<ManagedObject>("Book")) {
            for reference in book.references where try object.objectID(of: reference.name) == nil {
                let stored = try StoredRecord(object.objectID, in: other)?.values[reference.id]
                masked[object.objectID, default: [:]][reference.id] = stored
            }
        }
        return masked
    }

    private func stored() throws -> [ObjectID: StoredRecord] {
        var records: [ObjectID: StoredRecord] = [:]
        for id in known { records[id] = try StoredRecord(id, in: context) }
        return records
    }

    // MARK: Undo and redo

    /// Undoes or redoes a group, saves, and checks the result for each record.
    mutating func putBack(_ direction: Direction, _ place: String) throws {
        let before = try stored()
        let report = try direction == .undo ? context.undo() : context.redo()
        try context.save()
        let group = direction == .undo ? done.popLast() : undone.popLast()
        #expect((report == nil) == (group == nil), "\(place)")
        guard let report, var group else { return }
        if direction == .undo { undone.append(group) } else { done.append(group) }
        if direction == .undo { group = group.mapValues { ($0.after, $0.before) } }
        let after = try stored()
        let wasUnsaved = isUnsaved && direction == .undo
        isUnsaved = false
        for id in known {
            let faults = faults(
                before[id], after[id], group[id], wasUnsaved, report.leftAlone.filter { $0.objectID == id })
            #expect(faults == [], "\(place) of \(id), which left alone \(report.leftAlone)")
        }
    }

    /// - Parameters:
    ///   - change: The change from the result of the group to the expected values.
    ///   - said: The report's entries for the record.
    private func faults(
        _ before: StoredRecord?, _ after: StoredRecord?, _ change: Change?, _ wasUnsaved: Bool,
        _ said: [UndoReport.LeftAlone]
    ) -> [String] {
        // An edit that was undone before a save is stored only by the redo.
        guard let before else { return after == nil || change?.before == nil ? [] : ["stored by an undo"] }
        guard let change, let after else {
            return before.isStored(as: after)
                ? [] : ["changed by no edit of the group: \(before) to \(String(describing: after))"]
        }
        switch change {
        case (let mine?, let wanted?): return faults(before, after, mine, wanted, wasUnsaved, said)
        case (let mine?, nil):
            // A created object is removed only if it is unchanged.
            guard before.values != mine else { return [] }
            let isLeft = before.isStored(as: after)
            return (isLeft ? [] : ["taken away: \(before)"])
                + (before.liveness == .visible && said.isEmpty && !wasUnsaved ? ["not said to be there"] : [])
        case (nil, _):
            // A deleted object is restored with its stored values, regardless of their author.
            return before.values == after.values && !after.isDeleted ? [] : ["came back as \(after), was \(before)"]
        }
    }

    private func faults(
        _ before: StoredRecord, _ after: StoredRecord, _ mine: [PropertyID: Value], _ wanted: [PropertyID: Value],
        _ wasUnsaved: Bool, _ said: [UndoReport.LeftAlone]
    ) -> [String] {
        var faults = before.isDeleted == after.isDeleted ? [] : ["deleted or there by an edit"]
        let named = said.flatMap { entry -> [String] in
            if case .changedSince(let names) = entry.reason { names } else { [] }
        }
        for property in Set(before.values.keys).union(after.values.keys).union(mine.keys).union(wanted.keys) {
            let (was, now) = (before.values[property], after.values[property])
            if mine[property] == wanted[property] || was != mine[property] {
                if now != was {
                    faults.append("\(property) was \(String(describing: was)), is \(String(describing: now))")
                }
                guard mine[property] != wanted[property], was != wanted[property], !wasUnsaved else { continue }
                let isSaid = before.liveness == .visible ? !named.isEmpty : !said.isEmpty
                if !isSaid { faults.append("\(property) is not said to be left alone") }
            } else if before.liveness == .visible, now != wanted[property] {
                faults.append(
                    "\(property) is \(String(describing: now)), and not put back: \(String(describing: wanted[property]))"
                )
            }
        }
        return faults
    }
}
