package import RoostModel
package import RoostProtocol

extension AccessHandler {
    /// Returns the schema in force: its version and the text of its file.
    package func schema(
        for principal: Principal, in snapshot: any StoreSnapshot
    ) throws -> (version: Int, text: String) {
        _ = try member(principal, atLeast: .viewer, to: "read the schema", in: snapshot)
        let scope = try scope(principal.scope, snapshot)
        guard let text = try snapshot.schema(of: scope.key) else { throw StoreError.damaged("a scope has no schema") }
        return (scope.schemaVersion, text)
    }

    /// A schema file that was read, and compared with the one in force, before the transaction that publishes it, so that
    /// other commits do not wait for that.
    package struct SchemaCandidate: Sendable {
        let text: String
        let version: Int
        /// The version with which it was compared.
        let comparedWith: Int
        /// The reasons why it may not follow that version; empty if it may, or is that version's own text.
        let problems: String
    }

    /// Reads a schema file for ``publishSchema(_:by:in:)``.
    ///
    /// - Throws: ``ErrorCode/forbidden`` before reading, ``ErrorCode/schemaInvalid`` for a file that is invalid for any
    ///   version.
    package func schemaCandidate(
        _ text: String, by principal: Principal, in snapshot: any StoreSnapshot
    ) throws -> SchemaCandidate {
        _ = try member(principal, atLeast: .owner, to: "publish a schema", in: snapshot)
        let schema = try readSchema(text)
        let scope = try scope(principal.scope, snapshot)
        guard let current = try snapshot.schema(of: scope.key) else {
            throw StoreError.damaged("a scope has no schema")
        }
        var problems: [SchemaProblem] = []
        if schema.version == scope.schemaVersion + 1 {
            problems = try schema.problems(asSuccessorOf: readSchema(current)).filter { $0.severity == .error }
        }
        return SchemaCandidate(
            text: text, version: schema.version, comparedWith: scope.schemaVersion,
            problems: problems.map(\.description).joined(separator: " "))
    }

    /// Publishes a schema file, whose version has to be the next one.
    ///
    /// Publishing the file in force again succeeds, so that a lost reply does no harm.
    /// - Returns: The version now in force.
    package func publishSchema(
        _ candidate: SchemaCandidate, by principal: Principal, in transaction: any StoreTransaction
    ) throws -> Int {
        _ = try member(principal, atLeast: .owner, to: "publish a schema", in: transaction)
        let scope = try scope(principal.scope, transaction)
        guard let current = try transaction.schema(of: scope.key) else {
            throw StoreError.damaged("a scope has no schema")
        }
        if current.isSameText(as: candidate.text) { return candidate.version }
        guard candidate.version == scope.schemaVersion + 1, candidate.comparedWith == scope.schemaVersion else {
            throw ProtocolError(
                .schemaConflict,
                "Cannot publish the schema: its version is \(candidate.version), expected \(scope.schemaVersion + 1). Fetch "
                    + "the schema in force and make the change there.")
        }
        guard candidate.problems.isEmpty else {
            throw ProtocolError(.schemaInvalid, "Cannot publish the schema. \(candidate.problems)")
        }
        try transaction.publish(candidate.text, version: candidate.version, in: scope.key)
        return candidate.version
    }

    /// Reads a schema file. It takes longer than a commit should, so callers run it before one.
    package func readSchema(_ text: String) throws(ProtocolError) -> Schema {
        guard text.utf8.count <= limits.schemaBytesMax else {
            throw ProtocolError(
                .tooLarge,
                "Cannot read the schema: it has \(text.utf8.count) bytes, the limit is \(limits.schemaBytesMax).")
        }
        do {
            return try Schema(json: text)
        } catch {
            throw ProtocolError(.schemaInvalid, "Cannot use the schema. \(error)")
        }
    }
}
