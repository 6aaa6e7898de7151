internal import RoostModel

/// The tables that store the records of one entity in a replica: a visible table of the user's own, and a hidden table that
/// stores the put slots of records that are not visible.
///
/// A class, so that passing it on changes one reference count and not one for each statement in it.
final class EntityTable: Sendable {
    /// A column other than `id`.
    struct Column: Sendable {
        enum Kind: Sendable {
            case attribute(Attribute)
            case reference(ReferenceRules.Rule, isOptional: Bool)
        }

        let property: PropertyID
        let name: String
        let kind: Kind

        var rule: ReferenceRules.Rule? { if case .reference(let rule, _) = kind { rule } else { nil } }
        var quoted: String { SQLName.quoted(name) }
    }

    /// The properties of a column that are read for each record.
    struct Slot: Sendable {
        let property: UInt32
        let isReference: Bool
        /// The kind of an attribute; `uuid` for a reference.
        let kind: Attribute.Kind
        let mayBeNull: Bool
        /// Whether there is a default, from which an explicit nil must be distinguished.
        let hasDefault: Bool
        /// Whether a put may omit the property.
        let mayBeAbsent: Bool
        /// The earlier type in whose form values of the attribute may arrive; `nil` where there is none.
        let widens: Attribute.Kind?
    }

    let entity: EntityID
    /// The entity's name as messages show it.
    let name: String
    let columns: [Column]
    /// The slots, one for each column.
    let slots: [Slot]
    /// The values of the columns of a new record where a put omits them; null for a reference.
    let defaults: [Value]
    /// The statements that are run for each record, built once.
    let sql: EntityStatements

    /// The additions of other programs to the visible table.
    let additions: UserAdditions
    /// The form of the identifiers in the file.
    let identifiers: IdentifierForm

    /// - Parameters:
    ///   - name: A name for the tables other than the entity's.
    ///   - additions: The additions of other programs to the visible table.
    init(
        _ entity: Entity, rules: ReferenceRules, _ identifiers: IdentifierForm, table name: String? = nil,
        additions: UserAdditions = UserAdditions()
    ) {
        self.identifiers = identifiers
        self.additions = additions
        self.entity = entity.id
        self.name = entity.name
        let attributes = entity.attributes.map { Column(property: $0.id, name: $0.name, kind: .attribute($0)) }
        let references = entity.references.compactMap { relationship -> Column? in
            guard let rule = rules.rule(entity.id, relationship.id) else { return nil }
            return Column(
                property: relationship.id, name: relationship.name,
                kind: .reference(rule, isOptional: relationship.isOptional))
        }
        columns = (attributes + references).sorted { $0.property < $1.property }
        self.references = columns.filter { $0.rule != nil }
        maskable = self.references.compactMap { column in
            guard let rule = column.rule, rule.isMaskable, !rule.isTree else { return nil }
            return (column, rule)
        }
        slots = columns.map(Slot.init)
        defaults = columns.map { column in
            if case .attribute(let attribute) = column.kind { attribute.defaultValue ?? .null } else { .null }
        }
        table = name ?? entity.name.lowercased()
        sql = EntityStatements(table: table, columns: columns, additions: additions.columns)
    }

    /// The name of the visible table.
    let table: String
    var visible: String { SQLName.quoted(table) }
    var hidden: String { SQLName.quoted("roost_hidden_\(table)") }
    /// The columns that hold references.
    let references: [Column]
    /// The references that are masked while their target is not visible.
    let maskable: [(column: Column, rule: ReferenceRules.Rule)]
    /// `id` and all columns of the schema, as an SQL list, each qualified by the visible table.
    var visibleList: String { columnList(of: visible) }
    /// `id` and all columns of the schema, as an SQL list, each qualified by the hidden table.
    var hiddenList: String { columnList(of: hidden) }
    /// `id` and all columns of the schema, as an SQL list without qualification, as an insert requires.
    var columnList: String { (["id"] + columns.map(\.name)).map(SQLName.quoted).joined(separator: ", ") }

    private func columnList(of source: String) -> String {
        (["id"] + columns.map(\.name)).map { SQLName.column($0, of: source) }.joined(separator: ", ")
    }

    /// The names of all columns that a row keeps while it is hidden: the identifier, the columns of the schema, and those of
    /// other programs.
    var keptColumns: [String] { ["id"] + columns.map(\.name) + additions.columns }
    /// ``keptColumns`` as an SQL list.
    var keptList: String { keptColumns.map(SQLName.quoted).joined(separator: ", ") }

    /// Returns ``keptColumns`` of a table or alias, as an SQL list.
    func keptList(of source: String) -> String {
        keptColumns.map { SQLName.column($0, of: source) }.joined(separator: ", ")
    }

    /// Converts a column's value to the form in which it is sent.
    func narrowed(_ value: Value, at index: Int) -> Value {
        guard slots[index].widens != nil, case .attribute(let attribute) = columns[index].kind else { return value }
        return attribute.narrowed(value)
    }

    /// Returns a value of a property as its column stores it.
    func stored(_ value: Value, in name: String) -> Value {
        guard identifiers != .bytes, let index = columns.firstIndex(where: { $0.name == name }) else { return value }
        return slots[index].kind == .uuid ? identifiers.stored(value) : value
    }

    func column(of relationship: PropertyID) -> Column? {
        columns.first { $0.property == relationship && $0.rule != nil }
    }
}

extension EntityTable.Slot {
    init(_ column: EntityTable.Column) {
        property = column.property.rawValue
        switch column.kind {
        case .attribute(let attribute):
            isReference = false
            kind = attribute.kind
            mayBeNull = attribute.isOptional
            hasDefault = attribute.defaultValue != nil
            mayBeAbsent = attribute.isOptional || hasDefault
            widens = attribute.widens
        case .reference(let rule, let isOptional):
            isReference = true
            kind = .uuid
            mayBeNull = isOptional || rule.isMaskable
            hasDefault = false
            mayBeAbsent = mayBeNull
            widens = nil
        }
    }
}

extension ReferenceRules.Rule {
    /// Whether the reference may be masked, so that the visible column is null while the stored reference is not.
    var isMaskable: Bool { isTree || deleteRule == .nullify || deleteRule == .deny }
}
