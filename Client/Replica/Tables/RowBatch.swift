internal import RoostModel

/// Rows of one table, collected until they fill one statement. It takes half the time of one statement for each row.
///
/// Plain path: each row is written by itself, as in small pages. `LargePageTests` compares the two.
struct RowBatch {
    /// The number of rows that a statement writes. With 25 each row takes a tenth longer, with 200 no less time.
    static let size = 50

    struct Entry {
        let key: RecordKey
        /// The row, stored in the memory of the reading that it came with. That memory stays until the batch is written.
        let row: RowCoding.Row
        /// The put of which the row is made.
        let encoded: [UInt8]
        /// The confirmed put that the row replaces, if any.
        let held: SlotStamps.PutStamp?
        /// The confirmed slots after the replacement.
        let confirmed: SlotStamps
    }

    let table: EntityTable
    /// Whether all records are new, so that they have no rows. Otherwise the rows exist, as a rule with the references that they
    /// had.
    let areNew: Bool
    private(set) var entries: [Entry] = []

    init(of table: EntityTable, areNew: Bool) {
        self.table = table
        self.areNew = areNew
        entries.reserveCapacity(Self.size)
    }

    var isFull: Bool { entries.count == Self.size }

    mutating func add(_ entry: Entry) { entries.append(entry) }
}
