internal import RoostModel

extension PredicateSQL {
    /// The SQL of a term; with options, the bytes of its folded text.
    mutating func term(_ term: BoundTerm, _ options: TextOptions) throws(BindingFault) -> SQLFragment {
        if case .constant(let value, let kind) = term {
            return SQLFragment(value: TextFolding.folded(value, options), as: kind)
        }
        let text = try plain(term)
        guard !options.isEmpty else { return text }
        // GRDB reads empty data as NULL, which means the empty text here.
        let flags = SQLFragment(value: .integer(Int64(options.rawValue)))
        return "coalesce(roost_fold(CAST(\(text) AS BLOB), \(flags)), CAST(substr(\(text), 1, 0) AS BLOB))"
    }

    /// The SQL of a text's bytes, including those after a NUL.
    mutating func blob(_ term: BoundTerm, _ options: TextOptions) throws(BindingFault) -> SQLFragment {
        if case .constant(.string(let text), _) = term {
            return SQLFragment(value: .data(Array(TextFolding.folded(text, options).utf8)))
        }
        let text = try self.term(term, options)
        return options.isEmpty ? "CAST(\(text) AS BLOB)" : text
    }

    private mutating func plain(_ term: BoundTerm) throws(BindingFault) -> SQLFragment {
        switch term {
        case .constant(let value, let kind): return SQLFragment(value: value, as: kind)
        case .path(let path): return SQLFragment(text: try sql(path))
        case .arithmetic(let operation, let left, let right):
            let first = try plain(left)
            return "(\(first) \(sql: operation.rawValue) \(try plain(right)))"
        case .text(let function, let inner):
            // Text is passed as data behind a space, since GRDB ends a text at its first NUL and reads empty data as NULL.
            let call: SQLFragment = "\(sql: function.sqlName)(CAST(' ' || \(try plain(inner)) AS BLOB))"
            return function == .length ? call : "CAST(substr(\(call), 2) AS TEXT)"
        case .count(let collection, let node):
            let selection = try selection("count(*)", collection, node)
            return "(\(selection))"
        case .aggregate(let function, let collection, let inner): return try aggregate(function, collection, inner)
        }
    }

    private mutating func aggregate(
        _ function: PredicateTerm.Function, _ collection: BoundCollection, _ term: BoundTerm
    ) throws(BindingFault) -> SQLFragment {
        let open = try open(collection)
        let text = try plain(term)
        let call: SQLFragment
        switch function {
        case .sum where term.kind == .value(.double): call = "CAST(roost_sum(\(text)) AS REAL)"
        case .sum: call = "roost_sum(\(text))"
        case .average: call = "roost_avg(\(text))"
        case .minimum: call = "min(\(text))"
        case .maximum: call = "max(\(text))"
        }
        return "(SELECT \(call) FROM \(sql: from(collection)) WHERE \(sql: open))"
    }

    private mutating func sql(_ path: BoundPath) throws(BindingFault) -> String {
        var joins = scopes[path.slot] ?? fallback
        let text = try joins.sql(path)
        scopes[path.slot] = joins
        return text
    }

    // MARK: Collections

    /// `SELECT what FROM` the elements that satisfy the node.
    mutating func selection(
        _ what: String, _ collection: BoundCollection, _ node: BoundNode
    ) throws(BindingFault) -> SQLFragment {
        let link = try open(collection)
        let filter = try condition(node, isStrict: false)
        let whole: SQLFragment = filter.text == "1" ? "\(sql: link)" : "\(filter) AND \(sql: link)"
        return "SELECT \(sql: what) FROM \(sql: from(collection)) WHERE \(whole)"
    }

    /// The FROM clause of a collection, with the tables that paths of its elements have joined so far.
    private func from(_ collection: BoundCollection) -> String { (scopes[collection.slot] ?? fallback).fromClause }

    /// Adds the tables of a collection to the slot of its elements.
    ///
    /// - Returns: The condition that joins them to the enclosing record.
    private mutating func open(_ collection: BoundCollection) throws(BindingFault) -> String {
        var owner = try sql(collection.base)
        var ownerAlias = ""
        var tables: [ElementTable] = []
        for step in collection.steps {
            aliasCount += 1
            let alias = "e\(aliasCount)"
            tables += ElementTable.of(step, alias: alias, owner: owner, ownerAlias: ownerAlias, schema: root.schema)
            owner = "\(alias).id"
            ownerAlias = alias
        }
        let joined = tables.dropFirst().map { " JOIN \($0.table) ON \($0.condition)" }.joined()
        scopes[collection.slot] = PathJoins(
            schema: root.schema, entity: collection.element, alias: ownerAlias,
            from: (tables.first?.table ?? "") + joined)
        return tables.first?.condition ?? "1"
    }
}
