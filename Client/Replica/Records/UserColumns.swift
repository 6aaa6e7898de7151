internal import GRDB
internal import RoostModel

/// The values of a row, visible or hidden, in columns that other programs have added. No other device has them.
struct UserColumns {
    /// The values as SQL literals, each with the name of its column, without NULLs.
    private let values: [(name: String, value: String)]

    init(of key: RecordKey, _ layout: Layout, _ database: Database) throws {
        guard let table = layout[key.entity], !table.additions.columns.isEmpty else {
            values = []
            return
        }
        let columns = table.additions.columns
        let list = columns.map { "quote(\(SQLName.quoted($0)))" }.joined(separator: ", ")
        let query = try database.query(
            """
            SELECT \(list) FROM \(table.visible) WHERE "id" = ?1 UNION ALL SELECT \(list) FROM \(table.hidden) WHERE "id" = ?1
            """)
        query.bind(1, key.id)
        let texts = try query.first { row in columns.indices.map { row.text(Int32($0)) } } ?? []
        values = zip(columns, texts).filter { $0.1 != "NULL" }.map { (name: $0, value: $1) }
    }

    private static let opening = " Columns of other programs held: "

    /// Returns the end of a reason that ``sentence`` has made; empty where the reason has none.
    static func sentence(in reason: String) -> Substring {
        reason.utf8.firstRange(of: opening.utf8).map { reason[$0.lowerBound...] } ?? ""
    }

    /// A sentence for the reason in a journal entry; empty where no column holds a value.
    var sentence: String {
        guard !values.isEmpty else { return "" }
        let list = values.map { "\(SQLName.quoted($0.name)) = \($0.value)" }.joined(separator: ", ")
        return "\(Self.opening)\(list)."
    }
}
