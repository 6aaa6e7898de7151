internal import GRDB
internal import RoostModel

/// The occupancy of tables that are empty in most files. An empty table is not searched for each record.
///
/// A table that was not checked counts as occupied.
struct TableOccupancy {
    /// The entities without hidden records; `nil` where this was not checked.
    var hidesNothing: Set<EntityID>?
    /// Whether any stored reference is masked.
    var hasMasks = true
    /// Whether the row of any record lacks a part of the record's content.
    var hasExtras = true
    /// Whether any record does not fit its table.
    var hasUnfit = true
    /// Whether the outbox has entries.
    var hasOutbox = true
    /// Whether there are server states that are not applied yet (``ServerCopy``).
    var hasPulled = true
    /// Whether the server has lost records that this replica holds.
    var hasLost = true

    /// The occupancy where no table was checked.
    static let unknown = TableOccupancy()

    private init() {}

    /// Checks all of these tables.
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

    /// Tables of Roost's own, in the order of the probe. Tables with data of rows come first.
    private static let besideRows = ["roost_raw", "roost_extra", "roost_unfit"]
    private static let others = ["roost_outbox", "roost_pulled", "roost_lost"]
    private static let besideRowsProbe = probe(besideRows)

    /// Returns the query that checks all tables of a layout.
    static func probe(of tables: [EntityTable]) -> String { probe(tables.map(\.hidden) + besideRows + others) }

    private static func probe(_ tables: [String]) -> String {
        "SELECT " + tables.map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: ", ")
    }

    /// Checks only the tables with data of rows.
    static func besideRows(_ database: Database) throws -> TableOccupancy {
        try database.query(besideRowsProbe).first { row in
            var occupancy = TableOccupancy.unknown
            occupancy.hasMasks = row.integer(0) != 0
            occupancy.hasExtras = row.integer(1) != 0
            occupancy.hasUnfit = row.integer(2) != 0
            return occupancy
        } ?? .unknown
    }

    /// Whether this occupancy, as to hidden records and masks, is consistent with the actual occupancy `other`. More tables may
    /// be empty than this one shows.
    func holds(where other: TableOccupancy) -> Bool {
        (hidesNothing ?? []).isSubset(of: other.hidesNothing ?? []) && (hasMasks || !other.hasMasks)
    }
}
