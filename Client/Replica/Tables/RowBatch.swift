internal import RoostModel

/// Rows of one table that wait until they are enough for one statement, which takes half the time of a statement for each.
struct RowBatch {
    /// How many rows a statement writes: with 25 each takes a tenth longer, with 200 no less.
    static let size = 50

    struct Entry {
        let key: RecordKey
        /// It lies in the reading that it came with, which stays until the batch is written.
        let row: RowCoding.Row
        /// The put that the row is of.
        let encoded: [UInt8]
        /// The confirmed put that it replaces, if any.
        let held: SlotStamps.PutStamp?
        /// The confirmed slots since.
        let confirmed: SlotStamps
    }

    let table: EntityTable
    /// Whether nothing was known of any of the records: their rows are not there. Otherwise they are, as a rule with the references they had.
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
