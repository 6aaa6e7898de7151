internal import RoostModel

/// A put's content as a row of its entity's table, and back.
struct RowCoding {
    let table: EntityTable
    let slots: [EntityTable.Slot]

    /// What a put holds, sorted into the table's columns. It lies in the put's bytes.
    struct Row {
        /// What goes into one column.
        enum Cell: BitwiseCopyable {
            /// The put says nothing: an attribute's default, or nil.
            case absent
            case attribute(ContentReader.RawValue)
            case reference(RecordID)
        }

        /// One for each column of the table.
        var cells: UnsafeBufferPointer<Cell>
        /// What the schema does not know, to be passed on untouched: also a nil where it knows no default to tell it from. And what the
        /// put does not say.
        var extra: RowExtra?
    }

    /// Why a put cannot be shown.
    struct Unfit: Error {
        var reason: String

        init(reason: String) { self.reason = reason }

        init(unknown entity: EntityID) { reason = "The entity \(entity) is not in this replica's schema." }
    }

    init(_ table: EntityTable) {
        self.table = table
        slots = table.slots
    }

    /// For a thread beside the one that writes: what both would count the uses of is its own.
    init(copying table: EntityTable) {
        self.table = table
        slots = table.slots.map { $0 }
    }

    /// The references that the table has columns for, as stored.
    func references(of row: Row) -> [Put.Reference] {
        guard slots.contains(where: \.isReference) else { return [] }
        return slots.indices.compactMap { index in
            guard case .reference(let target) = row.cells[index] else { return nil }
            return Put.Reference(relationship: PropertyID(slots[index].property), target: target)
        }
    }

    /// The references that a row shows.
    func references(in query: Query, from first: Int32) -> [Put.Reference] {
        var references: [Put.Reference] = []
        for (offset, slot) in slots.enumerated() where slot.isReference {
            guard let target = query.id(first + Int32(offset)) else { continue }
            references.append(Put.Reference(relationship: PropertyID(slot.property), target: target))
        }
        return references
    }
}
