/// The class of one entity's objects.
struct SwiftClass {
    private let entity: Entity
    private let type: String
    /// The name of the declaration that contains the schema's text.
    private let schema: String
    private let accessLevel: AccessLevel
    /// The properties by ascending number.
    private let properties: [ClassProperty]

    init(_ entity: Entity, schema: Schema, names: SwiftNames, accessLevel: AccessLevel) {
        self.entity = entity
        self.accessLevel = accessLevel
        type = names.type(entity)
        self.schema = names.schema
        properties = ClassProperties(entity, schema, names).all
    }

    var source: String {
        let access = accessLevel.prefix
        let fields = ClassFields(type: type, properties: properties, access: access)
        let parts = [entityName, schemaSource] + properties.map { $0.source(access) } + [fields.source]
        return """
            \(documentation)
            \(openPrefix)nonisolated class \(type): ManagedObject, TypedObject {
            \(parts.joined(separator: "\n"))}

            """
    }

    private var openPrefix: String { accessLevel == .public ? "open " : accessLevel.prefix }

    private var documentation: String {
        DocumentationComment.source(
            "An object of the entity \"\(entity.name)\".",
            "What cannot be set, such as an object of another context, changes nothing: the context's next save says why.",
            indent: 0)
    }

    private var schemaSource: String {
        DocumentationComment.source("The schema of the class, with which a coordinator compares that of its stores.")
            + "\n"
            + SwiftLayout.variable(
                "    override \(openPrefix)class var schemaSource", "(any SchemaSource.Type)?", "\(schema).self")
    }

    private var entityName: String {
        """
            /// The entity's name in the schema.
            override \(openPrefix)class var entityName: String { "\(entity.name)" }

        """
    }
}
