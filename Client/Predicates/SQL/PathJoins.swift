package import RoostModel

/// The joins that the paths of a statement need: each to-one path is joined once, however often it is used.
///
///     var joins = try PathJoins(schema: schema, entity: "Spending")
///     let name = try joins.expression(forPath: "person.name")
///     let sql = "SELECT \(joins.alias).id FROM \(joins.fromClause) ORDER BY \(name.sql)"
///
/// Ask for ``fromClause`` last, when all paths are known.
package struct PathJoins: Sendable {
    /// The SQL expression of a path.
    package struct Expression: Hashable, Sendable {
        package var sql: String
        package var kind: TermKind
        /// Whether it can be nil.
        package var isOptional: Bool
    }

    /// SQLite joins at most 64 tables; some are left for the rest of the statement.
    private static let countMax = 56

    package let schema: Schema
    package let entity: Entity
    /// The alias of the table of the selected records.
    package let alias: String
    private var from: String
    private var aliases: [[String]: String] = [:]

    /// - Parameter alias: A plain name, and the prefix of the aliases of joined tables.
    /// - Throws: ``FetchPredicateError`` if the schema has no such entity.
    package init(schema: Schema, entity: String, alias: String = "t0") throws(FetchPredicateError) {
        do {
            let entity = try PathResolver(schema: schema).entity(named: entity)
            self.init(schema: schema, entity: entity, alias: alias)
        } catch {
            throw error.error(text: "")
        }
    }

    init(schema: Schema, entity: Entity, alias: String) {
        self.init(schema: schema, entity: entity, alias: alias, from: "\(entity.tableName) AS \(alias)")
    }

    /// - Parameter from: The contents of a FROM clause in which one table is named `alias`.
    init(schema: Schema, entity: Entity, alias: String, from: String) {
        self.schema = schema
        self.entity = entity
        self.alias = alias
        self.from = from
    }

    /// The contents of the FROM clause.
    package var fromClause: String { from }

    /// The SQL of a path through to-one relationships, such as `person.name`, `person`, `id` or `amount`.
    ///
    /// - Throws: ``FetchPredicateError`` for a name that does not exist, a to-many relationship, or too many joins.
    package mutating func expression(forPath text: String) throws(FetchPredicateError) -> Expression {
        guard case .path(let path) = try FormatParser.path(text), path.root == .record else {
            throw FetchPredicateError(.multiplicity, "A path of names is needed here, such as person.name.", text: text)
        }
        do throws(BindingFault) {
            let resolved = try PathResolver(schema: schema).resolve(path, from: entity)
            guard !resolved.isToMany else {
                throw BindingFault(
                    .multiplicity, "The path leads to many values, and one is needed here.", at: path.location)
            }
            guard !resolved.isLength else {
                throw BindingFault(
                    .multiplicity, "The length of a text is computed, and a stored value is needed here.",
                    at: path.location)
            }
            let bound = BoundPath(resolved, slot: 0, start: entity)
            return Expression(sql: try sql(bound), kind: bound.kind, isOptional: bound.isOptional)
        } catch {
            throw error.error(text: text)
        }
    }

    mutating func sql(_ path: BoundPath) throws(BindingFault) -> String {
        let owner = try join(path.steps)
        switch path.leaf {
        case .identifier: return "\(owner).id"
        case .attribute(let attribute): return "\(owner).\"\(attribute.name)\""
        case .reference(let step):
            // A reference to a missing record is nil, and a single end has no column.
            guard step.leadsToOneOfSeveral || schema.mayDangle(step.relationship) else {
                return "\(owner).\"\(step.relationship.name)\""
            }
            return "\(try join(path.steps + [step])).id"
        }
    }

    /// - Returns: The alias of the table at the end of the steps.
    private mutating func join(_ steps: [PathResolver.Step]) throws(BindingFault) -> String {
        var owner = alias
        var names: [String] = []
        for step in steps {
            // The first and the last record of a relationship are two tables.
            names.append(step.relationship.name + (step.element.map { "[\($0.rawValue)]" } ?? ""))
            if let known = aliases[names] {
                owner = known
                continue
            }
            guard aliases.count < Self.countMax else {
                throw BindingFault(
                    .tooComplex,
                    "The predicate follows more than \(Self.countMax) relationships. Leave some out, or split it.")
            }
            let next = "\(alias)_\(aliases.count + 1)"
            from +=
                " LEFT JOIN \(step.destination.tableName) AS \(next) ON \(next).id = "
                + step.targetID(
                    of: "\(owner).id", reference: "\(owner).\"\(step.relationship.name)\"", schema: schema)
            aliases[names] = next
            owner = next
        }
        return owner
    }
}

extension PathResolver.Step {
    /// The SQL of the identifier of a step's target.
    ///
    /// - Parameters:
    ///   - owner: The SQL of the source record's identifier.
    ///   - reference: The SQL of the source record's reference column; ignored for one of several records.
    func targetID(of owner: String, reference: String, schema: Schema) -> String {
        if let element { return elementID(element, of: owner, schema: schema) }
        guard showsOne else { return reference }
        // Of several records that refer to the source, the newest counts.
        let column = "\"\(relationship.inverse)\""
        return "(SELECT max(s.id) FROM \(destination.tableName) AS s WHERE s.\(column) = \(owner))"
    }

    /// The SQL of the identifier of the first or last record of a relationship to several.
    private func elementID(_ element: PredicatePath.Element, of owner: String, schema: Schema) -> String {
        var all = self
        all.element = nil
        let tables = ElementTable.of(all, alias: "s", owner: owner, ownerAlias: "", schema: schema)
        let from = tables.map(\.table).joined(separator: " JOIN ")
        let conditions = tables.map(\.condition).joined(separator: " AND ")
        let columns = (relationship.orderedBy.map { ["\"\($0)\""] } ?? []) + ["id"]
        let direction = element == .first ? "" : " DESC"
        let order = columns.map { "s.\($0)\(direction)" }.joined(separator: ", ")
        return "(SELECT s.id FROM \(from) WHERE \(conditions) ORDER BY \(order) LIMIT 1)"
    }
}

extension Entity {
    /// The quoted name of the visible table.
    package var tableName: String { "\"\(name.lowercased())\"" }
}
