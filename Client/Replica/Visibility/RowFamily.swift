internal import RoostModel

/// All rows of one table whose reference names one record.
struct RowFamily {
    enum Place: Hashable { case visible, hidden }

    var place: Place
    var table: EntityTable
    var column: EntityTable.Column
    var target: RecordKey

    func isSame(as other: RowFamily) -> Bool {
        place == other.place && table.entity == other.table.entity && column.property == other.column.property
            && target == other.target
    }
}
