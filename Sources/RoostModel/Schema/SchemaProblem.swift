/// One thing that is wrong with a schema file, with what to do about it.
public struct SchemaProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whether the schema can be used.
    public enum Severity: String, Hashable, Sendable {
        /// The schema cannot be used.
        case error
        /// The schema works, but will surprise somebody.
        case warning
    }

    /// Whether the schema can be used nevertheless.
    public var severity: Severity
    /// The entity's name, or its place in the file where it has none; `nil` for the schema itself.
    public var entity: String?
    /// The attribute's or relationship's name.
    public var property: String?
    /// What is wrong: got, expected.
    public var reason: String
    /// What to do next.
    public var cure: String

    package init(
        _ reason: String, cure: String, entity: String? = nil, property: String? = nil, severity: Severity = .error
    ) {
        self.severity = severity
        self.entity = entity
        self.property = property
        self.reason = reason
        self.cure = cure
    }

    public var description: String {
        var place = "Schema"
        if let entity { place += " entity \"\(entity)\"" }
        if let property { place += ", property \"\(property)\"" }
        return "\(place): \(reason). \(cure)."
    }
}

/// A schema file that cannot be used, with everything that is wrong with it.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// At least one, in the order of the file.
    public var problems: [SchemaProblem]

    package init(_ problems: [SchemaProblem]) {
        self.problems = problems
    }

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
