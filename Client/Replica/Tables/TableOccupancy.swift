internal import GRDB
internal import RoostModel

/// Which tables hold rows, of those that are empty in most files. What is empty is not searched for each record.
///
/// A table that nobody has looked at counts as occupied.
struct TableOccupancy {
    /// The entities of which no record is hidden; `nil` where nobody has looked.
    var hidesNothing: Set<EntityID>?
    /// Whether any stored reference reads nil.
    var hasMasks = true
    /// Whether the rows of any record lack a part of its content.
    var hasExtras = true
    /// Whether any record does not fit its table.
    var hasUnfit = true
    /// Whether the outbox has entries.
    var hasOutbox = true
    /// Whether there are states from the server that are not applied yet (``PulledAnew``).
    var hasPulled = true
    /// Whether the server has lost records that are here.
    var hasLost = true

    /// Nobody has looked.
    static let unknown = TableOccupancy()

    private init() {}

    /// Looks at all of these tables.
    init(_ database: Database, _ layout: Layout) throws {
        self = try database.query(layout.occupancyProbe).first { TableOccupancy($0, of: layout) } ?? .unknown
    }

    private init(_ row: Query, of layout: Layout) {
        let tables = layout.tables
        hidesNothing = Set(zip(tables, Int32(0)...).lazy.filter { row.integer($1) == 0 }.map(\.0.entity))
        func isOccupied(_ table: Int) -> Bool { row.integer(Int32(tables.count + table)) != 0 }
        hasMasks = isOccupied(0)
        hasExtras = isOccupied(1)
        hasUnfit = isOccupied(2)
        hasOutbox = isOccupied(3)
        hasPulled = isOccupied(4)
        hasLost = isOccupied(5)
    }

    /// Tables of Roost's own, in the order of the probe: first those that belong to rows.
    private static let besideRows = ["roost_raw", "roost_extra", "roost_unfit"]
    private static let others = ["roost_outbox", "roost_pulled", "roost_lost"]
    private static let besideRowsProbe = probe(besideRows)

    /// The statement that looks at all tables of a layout.
    static func probe(of tables: [EntityTable]) -> String { probe(tables.map(\.hidden) + besideRows + others) }

    private static func probe(_ tables: [String]) -> String {
        "SELECT " + tables.map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: ", ")
    }

    /// Looks only at the tables that belong to rows.
    static func besideRows(_ database: Database) throws -> TableOccupancy {
        try database.query(besideRowsProbe).first { row in
            var occupancy = TableOccupancy.unknown
            occupancy.hasMasks = row.integer(0) != 0
            occupancy.hasExtras = row.integer(1) != 0
            occupancy.hasUnfit = row.integer(2) != 0
            return occupancy
        } ?? .unknown
    }

    /// Whether what this says of hidden records and masks holds where `other` is how the tables are: more may be empty than is known.
    func holds(where other: TableOccupancy) -> Bool {
        (hidesNothing ?? []).isSubset(of: other.hidesNothing ?? []) && (hasMasks || !other.hasMasks)
    }
}
