internal import RoostModel

extension BoundPredicate {
    /// The condition of a WHERE clause. Its joins are added to `joins`, which other parts of the statement share.
    ///
    /// The connection must have ``PredicateFunctions``.
    ///
    /// - Parameter joins: Joins of the predicate's schema and entity.
    /// - Throws: ``FetchPredicateError`` if the statement would exceed SQLite's limit of tables or length.
    package func sql(joins: inout PathJoins) throws(FetchPredicateError) -> SQLFragment {
        var compiler = PredicateSQL(root: joins)
        do throws(BindingFault) {
            let condition = try compiler.condition(node, isStrict: false)
            guard condition.text.utf8.count <= PredicateSQL.bytesMax else {
                throw BindingFault(.tooComplex, "The predicate is longer than SQLite takes it. Split it.")
            }
            joins = compiler.root
            return condition
        } catch {
            throw error.error(text: "")
        }
    }

    /// The statement that selects the identifiers of the records that satisfy the predicate, in no particular order.
    package func selectIdentifiers() throws(FetchPredicateError) -> SQLFragment {
        var joins = PathJoins(schema: schema, entity: entity, alias: "t0")
        let condition = try sql(joins: &joins)
        return "SELECT t0.id FROM \(sql: joins.fromClause) WHERE \(condition)"
    }
}

/// Compiles a bound predicate to an SQL condition.
///
/// SQL has three truth values, predicates have two. A condition that is not strict may give NULL for false, which WHERE, AND and OR
/// treat as false; below a NOT conditions are strict.
struct PredicateSQL {
    /// SQLite's limit is a million bytes, of which the rest of the statement needs some.
    static let bytesMax = 900_000
    /// Longer lists of constants are packed into one argument.
    static let listMax = 200

    var scopes: [Int: PathJoins]
    var aliasCount = 0

    init(root: PathJoins) {
        scopes = [0: root]
        fallback = root
    }

    /// The joins of the tested record, which ``scopes`` has at 0.
    let fallback: PathJoins
    var root: PathJoins { scopes[0] ?? fallback }

    mutating func condition(_ node: BoundNode, isStrict: Bool) throws(BindingFault) -> SQLFragment {
        switch node {
        case .constant(let truth): return truth ? "1" : "0"
        case .and(let nodes): return Self.balanced(try conditions(nodes, isStrict), " AND ")
        case .or(let nodes): return Self.balanced(try conditions(nodes, isStrict), " OR ")
        case .not(let node): return "NOT (\(try condition(node, isStrict: true)))"
        case .compare(let left, let operation, let right, let options):
            return try comparison(left, operation, right, options, isStrict)
        case .between(let term, let low, let high, let options):
            return try between(term, low, high, options, isStrict)
        case .member(let term, let set, let options): return try member(term, set, options, isStrict)
        case .exists(let collection, let node):
            let selection = try selection("1", collection, node)
            return "EXISTS (\(selection))"
        }
    }

    /// The deepest operand comes first: SQLite's parser keeps everything before a parenthesis on a stack of 100 entries.
    private mutating func conditions(_ nodes: [BoundNode], _ isStrict: Bool) throws(BindingFault) -> [SQLFragment] {
        let depths = nodes.map(\.stackDepth)
        var conditions: [SQLFragment] = []
        for index in nodes.indices.sorted(by: { (depths[$1], $0) < (depths[$0], $1) }) {
            conditions.append(try condition(nodes[index], isStrict: isStrict))
        }
        return conditions
    }

    /// Joins in halves, since SQLite accepts expression trees at most 1000 levels deep.
    private static func balanced(_ conditions: [SQLFragment], _ separator: String) -> SQLFragment {
        guard conditions.count > 100 else { return "(\(SQLFragment.joined(conditions, separator)))" }
        let halves = [conditions[..<(conditions.count / 2)], conditions[(conditions.count / 2)...]]
        return "(\(SQLFragment.joined(halves.map { balanced(Array($0), separator) }, separator)))"
    }

    // MARK: Comparison

    private mutating func comparison(
        _ left: BoundTerm, _ operation: BoundNode.Operator, _ right: BoundTerm, _ options: TextOptions,
        _ isStrict: Bool
    ) throws(BindingFault) -> SQLFragment {
        let isOptional = left.isOptional || right.isOptional
        let condition: SQLFragment
        switch operation {
        case .equal, .notEqual: return try equality(left, operation == .equal, right, options, isStrict)
        case .less: condition = try order(left, "<", right, options)
        case .lessOrEqual: condition = try order(left, "<=", right, options)
        case .greater: condition = try order(left, ">", right, options)
        case .greaterOrEqual: condition = try order(left, ">=", right, options)
        case .beginsWith: condition = try beginning(left, right, options)
        case .endsWith: condition = "roost_ends(\(try blob(left, options)), \(try blob(right, options)))"
        case .contains: condition = "instr(\(try term(left, options)), \(try term(right, options))) > 0"
        case .like, .matches:
            let function = operation == .like ? "roost_like" : "roost_matches"
            let flags = SQLFragment(value: .integer(Int64(options.rawValue)))
            condition = "\(sql: function)(\(try blob(left, [])), \(try blob(right, [])), \(flags))"
        }
        return isStrict && isOptional ? "coalesce(\(condition), 0)" : "(\(condition))"
    }

    private mutating func order(
        _ left: BoundTerm, _ sign: String, _ right: BoundTerm, _ options: TextOptions
    ) throws(BindingFault) -> SQLFragment {
        let first = try exact(left, beside: right, options)
        return "\(first) \(sql: sign) \(try exact(right, beside: left, options))"
    }

    private mutating func equality(
        _ left: BoundTerm, _ isEqual: Bool, _ right: BoundTerm, _ options: TextOptions, _ isStrict: Bool
    ) throws(BindingFault) -> SQLFragment {
        let first = try exact(left, beside: right, options)
        let second = try exact(right, beside: left, options)
        let areBothOptional = left.isOptional && right.isOptional
        let isOneOptional = left.isOptional || right.isOptional
        // If NULL may mean false, `=` allows SQLite more query plans than `IS`.
        if isEqual, isStrict ? !isOneOptional : !areBothOptional { return "(\(first) = \(second))" }
        if !isEqual, !isOneOptional { return "(\(first) <> \(second))" }
        return "(\(first) \(sql: isEqual ? "IS" : "IS NOT") \(second))"
    }

    /// The SQL of a term. A double compared with an integer is no plain column, whose affinity would round the integer.
    private mutating func exact(
        _ term: BoundTerm, beside other: BoundTerm, _ options: TextOptions
    ) throws(BindingFault) -> SQLFragment {
        let text = try self.term(term, options)
        guard term.kind == .value(.double), case .constant(.integer, _) = other else { return text }
        return "+\(text)"
    }

    private mutating func beginning(
        _ left: BoundTerm, _ right: BoundTerm, _ options: TextOptions
    ) throws(BindingFault) -> SQLFragment {
        guard options.isEmpty, case .constant(.string(let prefix), _) = right else {
            return "instr(\(try term(left, options)), \(try term(right, options))) = 1"
        }
        // A range can use an index.
        let text = try term(left, [])
        let lower: SQLFragment = "\(text) >= \(value: .string(prefix))"
        guard let end = prefix.firstBeyondPrefix else { return lower }
        return "\(lower) AND \(text) < \(value: .string(end))"
    }

    private mutating func between(
        _ term: BoundTerm, _ low: BoundTerm, _ high: BoundTerm, _ options: TextOptions, _ isStrict: Bool
    ) throws(BindingFault) -> SQLFragment {
        let lower = try order(low, "<=", term, options)
        let upper = try order(term, "<=", high, options)
        let isOptional = term.isOptional || low.isOptional || high.isOptional
        return isStrict && isOptional ? "coalesce(\(lower) AND \(upper), 0)" : "(\(lower) AND \(upper))"
    }

    // MARK: Lists

    private mutating func member(
        _ term: BoundTerm, _ set: ValueSet, _ options: TextOptions, _ isStrict: Bool
    ) throws(BindingFault) -> SQLFragment {
        let text = try self.term(term, options)
        let isNull: SQLFragment = "\(text) IS NULL"
        guard !set.values.isEmpty else { return set.includesNull ? "(\(isNull))" : "0" }
        let isIn: SQLFragment = "\(text) IN (\(list(set.values, term.kind)))"
        if set.includesNull { return "(\(isIn) OR \(isNull))" }
        return isStrict && term.isOptional ? "coalesce(\(isIn), 0)" : "(\(isIn))"
    }

    private func list(_ values: [Value], _ kind: TermKind) -> SQLFragment {
        guard values.count > Self.listMax, let packed = PackedList(values, areIdentifiers: kind.isIdentifier) else {
            return .joined(values.map { SQLFragment(value: $0, as: kind) }, ", ")
        }
        return "SELECT \(sql: packed.expression) FROM json_each(\(value: .string(packed.json)))"
    }
}
