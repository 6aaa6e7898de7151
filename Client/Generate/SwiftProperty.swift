/// One stored property of a generated struct: a column of the entity's table.
struct SwiftProperty {
    /// The column's name in the schema.
    let column: String
    /// The property's name in Swift, unquoted.
    let name: String
    let documentation: String
    let isOptional: Bool
    /// The default value in the memberwise initializer; `nil` if a caller must give a value.
    let defaultText: String?
    private let form: Form

    /// The representation of a value in a row and in Swift.
    private enum Form: String {
        case string, integer, double, boolean, data, identifier

        var type: String {
            switch self {
            case .string: "String"
            case .integer: "Int64"
            case .double: "Double"
            case .boolean: "Bool"
            case .data: "[UInt8]"
            case .identifier: "RecordID"
            }
        }
    }

    init(_ attribute: Attribute, name: String) {
        column = attribute.name
        self.name = name
        isOptional = attribute.isOptional
        form = Self.form(attribute.kind)
        documentation = "The attribute \"\(attribute.name)\"\(Self.meaning(attribute.kind))."
        defaultText = attribute.defaultValue.flatMap { Self.literal($0) } ?? (attribute.isOptional ? "nil" : nil)
    }

    init(_ relationship: Relationship, rule: ReferenceRules.Rule?, name: String) {
        column = relationship.name
        self.name = name
        let mayReadNil = rule.map { $0.isTree || $0.deleteRule == .nullify || $0.deleteRule == .deny } ?? true
        isOptional = relationship.isOptional || mayReadNil
        form = .identifier
        documentation =
            "The identifier of its \"\(relationship.destination)\""
            + (mayReadNil ? "; nil also where that is not visible." : ".")
        defaultText = isOptional ? "nil" : nil
    }

    var quotedName: String { SwiftNames.quoted(name) }
    var type: String { form.type + (isOptional ? "?" : "") }

    /// Returns the expression that reads the property from a row.
    func reading(_ index: Int) -> String {
        "try row.\(isOptional ? "optional" : "required")(\(index)) { $0.\(form.rawValue) }"
    }

    /// The expression that makes a `Value` of the property.
    var value: String {
        let name = isOptional ? "$0" : quotedName
        let made =
            switch form {
            case .identifier: ".data(\(name).bytes)"
            default: ".\(form.rawValue)(\(name))"
            }
        return isOptional ? "\(quotedName).map { \(made) } ?? .null" : made
    }

    private static func form(_ kind: Attribute.Kind) -> Form {
        switch kind {
        case .string, .date, .json: .string
        case .integer, .timestamp: .integer
        case .double: .double
        case .boolean: .boolean
        case .uuid: .identifier
        case .data: .data
        }
    }

    private static func meaning(_ kind: Attribute.Kind) -> String {
        switch kind {
        case .date: ": a plain date, `YYYY-MM-DD`"
        case .timestamp: ": milliseconds since 1970, UTC"
        case .json: ": JSON text"
        case .string, .integer, .double, .boolean, .uuid, .data: ""
        }
    }

    /// Returns the literal of a default value; `nil` for bytes, which have no readable literal, so that a caller must give them.
    private static func literal(_ value: Value) -> String? {
        switch value {
        case .null, .data: nil
        case .string(let text): text.debugDescription
        case .integer(let number): String(number)
        case .double(let number): "\(number)"
        case .boolean(let flag): String(flag)
        }
    }
}
