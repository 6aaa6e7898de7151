/// A problem of a schema file, with its cure.
public struct SchemaProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The severity of a problem.
    public enum Severity: String, Hashable, Sendable {
        /// The schema cannot be used.
        case error
        /// The schema works, but will surprise users.
        case warning
    }

    /// The severity, which decides whether the schema can be used.
    public var severity: Severity
    /// The entity's name, or its location in the file if it has no name; `nil` for the schema itself.
    public var entity: String?
    /// The attribute's or relationship's name.
    public var property: String?
    /// The problem: got, expected.
    public var reason: String
    /// The next step for the user.
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

/// An error about a schema file that cannot be used, with all its problems.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problems, at least one, in the order of the file.
    public var problems: [SchemaProblem]

    package init(_ problems: [SchemaProblem]) {
        self.problems = problems
    }

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
