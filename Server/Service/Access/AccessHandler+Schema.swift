internal import RoostModel
internal import RoostProtocol

extension AccessHandler {
    /// The schema in force: its version and the text of its file.
    package func schema(
        for principal: Principal, in snapshot: any StoreSnapshot
    ) throws -> (version: Int, text: String) {
        _ = try member(principal, atLeast: .viewer, to: "read the schema", in: snapshot)
        let scope = try scope(principal.scope, snapshot)
        guard let text = try snapshot.schema(of: scope.key) else { throw StoreError.damaged("a scope has no schema") }
        return (scope.schemaVersion, text)
    }

    /// Makes a schema file the one in force; its version must be the next one.
    ///
    /// The same file as the one in force is accepted again, so that a lost reply does no harm.
    /// - Returns: The version now in force.
    package func publishSchema(
        _ text: String, by principal: Principal, in transaction: any StoreTransaction
    ) throws -> Int {
        _ = try member(principal, atLeast: .owner, to: "publish a schema", in: transaction)
        let schema = try readSchema(text)
        let scope = try scope(principal.scope, transaction)
        guard let current = try transaction.schema(of: scope.key) else {
            throw StoreError.damaged("a scope has no schema")
        }
        if current == text { return schema.version }
        guard schema.version == scope.schemaVersion + 1 else {
            throw ProtocolError(
                .schemaConflict,
                "Cannot publish the schema: its version is \(schema.version), expected \(scope.schemaVersion + 1). Fetch "
                    + "the schema in force and make the change there.")
        }
        let problems = try schema.problems(asSuccessorOf: readSchema(current)).filter { $0.severity == .error }
        guard problems.isEmpty else {
            throw ProtocolError(
                .schemaInvalid, "Cannot publish the schema. \(problems.map(\.description).joined(separator: " "))")
        }
        try transaction.publish(text, version: schema.version, in: scope.key)
        return schema.version
    }

    func readSchema(_ text: String) throws(ProtocolError) -> Schema {
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
