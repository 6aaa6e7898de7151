internal import RoostModel

/// The set of all rows of one table whose reference names one record. ``RowMoves`` moves it by its reference.
struct RowFamily: Hashable {
    enum Place: Hashable { case visible, hidden }

    var place: Place
    var entity: EntityID
    var relationship: PropertyID
    var target: RecordKey
}
