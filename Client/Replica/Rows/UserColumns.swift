internal import GRDB
internal import RoostModel

/// The values of a row in columns that other programs have added. No other device has them.
struct UserColumns {
    /// Each as SQL writes it, by the name of its column; none that hold nothing.
    private let values: [(name: String, value: String)]

    init(of key: RecordKey, _ layout: Layout, _ database: Database) throws {
        guard let table = layout[key.entity], !table.additions.columns.isEmpty else {
            values = []
            return
        }
        let columns = table.additions.columns
        let list = columns.map { "quote(\(SQLName.quoted($0)))" }.joined(separator: ", ")
        let query = try database.query("SELECT \(list) FROM \(table.visible) WHERE \"id\" = ?")
        query.bind(1, key.id)
        let texts = try query.first { row in columns.indices.map { row.text(Int32($0)) } } ?? []
        values = zip(columns, texts).filter { $0.1 != "NULL" }.map { (name: $0, value: $1) }
    }

    /// For the reason in a journal entry; empty where there is nothing to tell.
    var sentence: String {
        guard !values.isEmpty else { return "" }
        let list = values.map { "\(SQLName.quoted($0.name)) = \($0.value)" }.joined(separator: ", ")
        return " Columns of other programs held: \(list)."
    }
}
