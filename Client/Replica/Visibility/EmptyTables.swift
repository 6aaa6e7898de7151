internal import RoostModel

/// Of which entities nothing is hidden, and whether any reference reads nil.
struct EmptyTables {
    let hidesNothing: Set<EntityID>
    let hasMasks: Bool

    init(_ rows: RowStore) throws {
        let read = try rows.database.query(rows.layout.emptyProbe).first { EmptyTables(rows.layout, $0) }
        self = read ?? EmptyTables(hidesNothing: [], hasMasks: true)
    }

    init(hidesNothing: Set<EntityID>, hasMasks: Bool) {
        self.hidesNothing = hidesNothing
        self.hasMasks = hasMasks
    }

    /// - Parameter row: Of the layout's ``Layout/emptyProbe``, which may ask for more.
    init(_ layout: Layout, _ row: Query) {
        let columns = zip(layout.tables, Int32(0)...)
        hidesNothing = Set(columns.lazy.filter { row.integer($1) != 0 }.map(\.0.entity))
        hasMasks = row.integer(Int32(layout.tables.count)) == 0
    }

    /// How many columns that takes.
    static func columns(of layout: Layout) -> Int32 { Int32(layout.tables.count + 1) }

    /// Whether all that this says is so where `other` is how it is: more may be empty than is known.
    func holds(where other: EmptyTables) -> Bool {
        hidesNothing.isSubset(of: other.hidesNothing) && (hasMasks || !other.hasMasks)
    }
}
