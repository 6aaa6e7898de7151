internal import GRDB
internal import RoostModel

/// An entry of SQLite's schema table, which lists tables, indexes, views and triggers.
struct SchemaItem: Hashable {
    enum Kind: String {
        case table, index, view, trigger
    }

    let number: Int64
    let kind: Kind
    let name: String
    /// The table that the entry is, or belongs to.
    let table: String
    /// The root page; 0 for an entry without pages.
    let rootPage: Int64
    /// The statement that created the entry; empty for an entry that SQLite creates by itself.
    let sql: String

    var key: String { SQLName.folded(name) }
    var tableKey: String { SQLName.folded(table) }
    /// Whether Roost has created the entry, judged by its name. The name of a trigger or index of Roost's has the number of its
    /// entity after the second word.
    var isRoosts: Bool {
        guard key.begins(with: "roost_") else { return false }
        guard kind == .trigger || kind == .index else { return true }
        return key.parts(at: "_").dropFirst(2).contains { part in
            part.utf8.first.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
        }
    }

    /// Whether the entry is a virtual table, such as a full-text index.
    var isVirtual: Bool { kind == .table && SQLName.folded(sql).begins(with: "create virtual") }

    /// Whether the SQL of the entry contains a name, in whatever meaning.
    func mentions(_ name: String) -> Bool {
        func isOfNames(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
                UInt8(ascii: "$"), 0x80...:
                true
            default: false
            }
        }
        let (text, name) = (SQLName.folded(sql).utf8, SQLName.folded(name).utf8)
        guard name.allSatisfy(isOfNames) else { return text.firstRange(of: name) != nil }
        return text.split { !isOfNames($0) }.contains { $0.elementsEqual(name) }
    }

    /// An SQL condition for the names of triggers and indexes for which ``isRoosts`` is true.
    static let isRoostsSQL = "lower(name) GLOB 'roost_[a-z]*_[0-9]*'"

    static func all(_ database: Database) throws -> [SchemaItem] {
        let query = try database.query(
            "SELECT rowid, type, name, tbl_name, rootpage, coalesce(sql, '') FROM sqlite_schema ORDER BY rowid")
        return try query.all { row in
            Kind(rawValue: row.text(1)).map { kind in
                SchemaItem(
                    number: row.integer(0), kind: kind, name: row.text(2), table: row.text(3),
                    rootPage: row.integer(4), sql: row.text(5))
            }
        }.compactMap(\.self)
    }
}

/// The fingerprint of the schema table when the layout was last verified, by entity: the value of `layout` in `roost_state`.
///
/// Row numbers and root pages count as well as texts. They change where a table is dropped and made again with its triggers.
struct LayoutFingerprint: Hashable {
    /// The hash, by entity, of the items that rows depend on: the location of the table, and Roost's triggers.
    private(set) var tracking: [EntityID: String] = [:]
    /// The hash, by entity, of everything that belongs to its tables.
    private(set) var all: [EntityID: String] = [:]
    /// The hash of Roost's own tables, with ``generation``.
    private(set) var own = ""
    /// The generation of Roost's triggers. It must be raised where they change for existing files. Each file is then verified
    /// once, which makes its triggers again.
    private static let generation = 3

    init(_ items: [SchemaItem], _ layout: Layout) {
        let places = Places(items)
        for table in layout.tables {
            let related = places.related(to: table).map { items[$0] }
            all[table.entity] = Self.hash(related)
            tracking[table.entity] = Self.hash(
                related.filter { item in
                    item.kind == .trigger && item.isRoosts || item.kind == .table && item.key == table.table
                }.map { item in
                    // The text is left out, because another program may add a column of its own.
                    guard item.kind == .table else { return item }
                    return SchemaItem(
                        number: item.number, kind: item.kind, name: item.key, table: item.tableKey,
                        rootPage: item.rootPage, sql: "")
                })
        }
        let entities = Set(layout.tables.flatMap { [$0.table, "roost_hidden_\($0.table)"] })
        own =
            Self.hash(items.filter { $0.kind == .table && $0.isRoosts && !entities.contains($0.key) })
            + "-\(Self.generation)"
    }

    /// Decodes the form of ``text``; `nil` for anything else.
    init?(_ text: String) {
        let lines = text.parts(at: "\n").map { $0.parts(at: " ") }
        guard let first = lines.first, first.count == 1 else { return nil }
        own = first[0]
        for line in lines.dropFirst() {
            guard line.count == 3, let number = UInt32(line[0]) else { return nil }
            tracking[EntityID(number)] = line[1]
            all[EntityID(number)] = line[2]
        }
    }

    var text: String {
        let lines = all.keys.sorted().map { "\($0) \(tracking[$0] ?? "-") \(all[$0] ?? "-")" }
        return ([own] + lines).joined(separator: "\n")
    }

    /// An index of items by table and by entity, built once. A schema may have hundreds of entities with a dozen items each.
    private struct Places {
        private var ofTables: [String: [Int]] = [:]
        private var ofTriggers: [EntityID: [Int]] = [:]

        init(_ items: [SchemaItem]) {
            for (place, item) in items.enumerated() {
                ofTables[item.tableKey, default: []].append(place)
                guard item.kind == .trigger, let entity = EntityTriggers.entity(ofTrigger: item.name) else { continue }
                ofTriggers[entity, default: []].append(place)
            }
        }

        /// Returns the indexes of the items made for the entity's tables, and of its triggers on whatever table, each once and in
        /// order.
        func related(to table: EntityTable) -> [Int] {
            let all = [
                ofTables[table.table], ofTables["roost_hidden_\(table.table)"], ofTriggers[table.entity],
            ]
            return Set(all.flatMap { $0 ?? [] }).sorted()
        }
    }

    private static func hash(_ items: [SchemaItem]) -> String {
        var bytes: [UInt8] = []
        for item in items {
            let text =
                "\(item.number)\u{0}\(item.kind.rawValue)\u{0}\(item.name)\u{0}\(item.table)\u{0}\(item.rootPage)\u{0}\(item.sql)\u{1}"
            bytes += text.utf8
        }
        return Hex.encode(Array(SHA256Digest.of(bytes).prefix(12)))
    }
}
