internal import GRDB
internal import Predicates
internal import Replica
internal import RoostModel

/// The compiler of a request to SQL: the tables that its paths need, its condition and its order.
struct FetchCompiler {
    let entity: EntityDescription
    private var joins: PathJoins
    private let condition: SQLFragment?
    /// The sort keys, in order of precedence; the identifier comes after them.
    let keys: [SortKey]

    /// One level of the order.
    struct SortKey {
        let sql: String
        let kind: Attribute.Kind
        let descriptor: FetchSortDescriptor

        var order: String {
            let collation = descriptor.textOrder == .localized && kind == .string ? " COLLATE roost_locale" : ""
            return "\(sql)\(collation) \(descriptor.isAscending ? "ASC" : "DESC")"
        }
    }

    /// Compiles a request.
    ///
    /// - Throws: ``ObjectError`` for an unknown entity, ``FetchPredicateError`` for a predicate or path that does not fit the
    ///   schema.
    init<Object>(_ request: FetchRequest<Object>, _ model: ObjectModel) throws {
        entity = try model.entity(named: request.entity)
        var joins = try PathJoins(schema: model.schema, entity: entity.name)
        condition = try request.predicate?.bound(to: model.schema, entity: entity.name).sql(joins: &joins)
        keys = try request.sortDescriptors.map { descriptor in
            let expression = try joins.expression(forPath: descriptor.path)
            return SortKey(sql: expression.sql, kind: expression.kind.valueKind, descriptor: descriptor)
        }
        self.joins = joins
    }

    /// Returns the SQL of a path, to select or group by it.
    mutating func expression(_ path: String) throws -> (sql: String, kind: Attribute.Kind) {
        let expression = try joins.expression(forPath: path)
        return (expression.sql, expression.kind.valueKind)
    }

    /// The alias of the entity's own table.
    var alias: String { joins.alias }
    var identifier: String { "\(joins.alias).id" }

    /// Returns a statement that selects columns of the matching records.
    ///
    /// - Parameters:
    ///   - columns: The selected columns, as SQL without arguments.
    ///   - order: The terms of ORDER BY; `nil` for none.
    ///   - tail: The text after the order, such as a limit.
    func select(
        _ columns: String, isDistinct: Bool = false, groupedBy: [String] = [], order: String? = nil, tail: String = ""
    ) -> SQLFragment {
        var sql = SQLFragment(text: "SELECT \(isDistinct ? "DISTINCT " : "")\(columns) FROM \(joins.fromClause)")
        if let condition { sql = "\(sql) WHERE \(condition)" }
        if !groupedBy.isEmpty { sql.text += " GROUP BY \(groupedBy.joined(separator: ", "))" }
        if let order { sql.text += " ORDER BY \(order)" }
        sql.text += tail
        return sql
    }

    /// Returns a statement that counts the matching records with one value of a reference.
    ///
    /// - Parameter other: SQL of that value, from an enclosing statement.
    func count(whose reference: StoredProperty, is other: String) -> SQLFragment {
        let sql = SQLFragment(
            text: "SELECT count(*) FROM \(joins.fromClause) WHERE \(alias).\(reference.quoted) = \(other)")
        return condition.map { "\(sql) AND (\($0))" } ?? sql
    }

    /// The order of the request, made total by the identifier.
    var totalOrder: String { (keys.map(\.order) + [identifier]).joined(separator: ", ") }
}

extension TermKind {
    /// The type by which values of the term are read.
    var valueKind: Attribute.Kind {
        switch self {
        case .value(let kind): kind
        case .record: .uuid
        case .null: .data
        }
    }
}

extension Database {
    /// Prepares a query of a fragment, with its arguments bound.
    func query(_ fragment: SQLFragment) throws -> Query {
        let query = try query(fragment.text)
        for (index, argument) in fragment.arguments.enumerated() {
            switch argument {
            case .value(let value): query.bind(Int32(index + 1), value)
            case .identifier(let id): query.bind(Int32(index + 1), id)
            }
        }
        return query
    }
}
