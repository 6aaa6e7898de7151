internal import RoostModel

/// The conversion of a put's content to a row of its entity's table, and back.
struct RowCoding {
    let table: EntityTable
    let slots: [EntityTable.Slot]

    /// A put's content, sorted into the table's columns. Its values point into the put's bytes.
    struct Row {
        /// The content of one column.
        enum Cell: BitwiseCopyable {
            /// The put omits the property; the column gets an attribute's default, or null.
            case absent
            case attribute(ContentReader.RawValue)
            case reference(RecordID)
        }

        /// The cells, one for each column of the table.
        var cells: UnsafeBufferPointer<Cell>
        /// The properties that the schema does not know, to be passed on unchanged, and the attributes that the put omits. An
        /// explicit nil of an attribute without a default counts as unknown.
        var extra: RowExtra?
    }

    /// The reason why a put cannot be shown.
    struct Unfit: Error {
        var reason: String

        init(reason: String) { self.reason = reason }

        init(unknown entity: EntityID) { reason = "The entity \(entity) is not in this replica's schema." }
    }

    init(_ table: EntityTable) {
        self.table = table
        slots = table.slots
    }

    /// Makes a coding for a thread that runs concurrently with the writer. It has slots of its own, so that the two threads share
    /// no reference count for them.
    init(copying table: EntityTable) {
        self.table = table
        slots = table.slots.map { $0 }
    }

    /// Returns the stored references for which the table has columns.
    func references(of row: Row) -> [Put.Reference] {
        guard slots.contains(where: \.isReference) else { return [] }
        return slots.indices.compactMap { index in
            guard case .reference(let target) = row.cells[index] else { return nil }
            return Put.Reference(relationship: PropertyID(slots[index].property), target: target)
        }
    }

    /// Returns the references that a row shows.
    func references(in query: Query, from first: Int32) -> [Put.Reference] {
        var references: [Put.Reference] = []
        for (offset, slot) in slots.enumerated() where slot.isReference {
            guard let target = query.id(first + Int32(offset)) else { continue }
            references.append(Put.Reference(relationship: PropertyID(slot.property), target: target))
        }
        return references
    }
}
