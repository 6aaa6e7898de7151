/// Configuration files that keep Roost's own tables out of the way of other programs.
package enum OtherProgramFiles {
    /// The prefix of the names of Roost's own tables, indexes and triggers.
    package static let prefix = "roost_"

    /// Returns metadata for Datasette: Roost's tables are hidden, and a record is named by its first text.
    ///
    /// - Parameters:
    ///   - schema: The schema of the replica.
    ///   - database: Datasette's name of the file, which is the file's name without its ending.
    ///   - hidden: The names of the tables that are no entity's.
    /// - Returns: JSON, for `datasette --metadata`.
    package static func datasette(_ schema: Schema, database: String, hiding hidden: [String]) -> String {
        let internals = hidden.sorted().map { JSONValue.Member($0, .members(("hidden", .boolean(true)))) }
        let entities = schema.entities.compactMap { entity -> JSONValue.Member? in
            guard let label = entity.attributes.first(where: { $0.kind == .string }) else { return nil }
            return JSONValue.Member(entity.name.lowercased(), .members(("label_column", .string(label.name))))
        }
        let tables = JSONValue.object(entities + internals)
        let databases = JSONValue.object([JSONValue.Member(database, .members(("tables", tables)))])
        return JSONValue.members(("databases", databases)).text + "\n"
    }

    /// Returns a module for Alembic's `env.py` with `include_name`: autogeneration leaves out Roost's tables and those of the
    /// schema, which `roost migrate` changes.
    package static func alembic(_ schema: Schema) -> String {
        let tables = schema.recordEntities.map { "\"\($0.name.lowercased())\"" }.joined(separator: ", ")
        return """
            \"\"\"What Alembic's autogeneration leaves out of a replica of Roost. Made by "roost generate alembic".

            In env.py, in both calls: context.configure(..., include_name=include_name)
            \"\"\"

            # Roost changes these tables itself (roost migrate).
            SYNCHRONISED = {\(tables)}


            def include_name(name, type_, parent_names):
                if type_ == "table":
                    return not name.startswith("\(prefix)") and name not in SYNCHRONISED
                return True

            """
    }
}
