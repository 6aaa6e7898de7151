/// One property of a generated class: an attribute or a relationship.
struct ClassProperty {
    enum Form {
        case attribute(Attribute)
        case toOne(Relationship, ReferenceRules.Rule?, inverse: Relationship?)
        /// A to-one relationship without storage. Several records may refer to this one through `inverse`; one of them is
        /// shown.
        case single(Relationship, inverse: Relationship?)
        /// A to-many relationship: all records that refer to this one through `inverse`, or that are linked with it.
        case several(Relationship, inverse: Relationship?, ClassMethods)
    }

    let id: PropertyID
    /// The property's name in the schema.
    let schemaName: String
    /// The property's name in Swift, unquoted.
    let name: String
    let form: Form
    /// The Swift type of an attribute's value, or of an object at the other end of a relationship.
    let baseType: String

    /// Returns the declarations of the property and of the methods that change it.
    func source(_ access: String) -> String {
        let head = "    \(access)var \(SwiftNames.quoted(name))"
        let comment = DocumentationComment.source(documentation) + "\n"
        switch form {
        case .attribute(let attribute) where attribute.isOptional:
            return comment + SwiftLayout.accessors(head, "\(baseType)?", "self[optional: \(id)]")
        case .attribute:
            return comment + SwiftLayout.accessors(head, baseType, "self[attribute: \(id)]")
        case .toOne, .single:
            return comment + SwiftLayout.accessors(head, "\(baseType)?", "self[object: \(id)]")
        case .several(_, _, let names):
            let object = "_ object: \(baseType)"
            var methods = [
                method(access, names.add, object, "add(object, to: \(id))", adding),
                method(access, names.remove, object, "remove(object, from: \(id))", removing),
            ]
            if let order = names.order {
                methods += [
                    method(
                        access, order.insert, "\(object), at index: Int", "insert(object, into: \(id), at: index)",
                        inserting),
                    method(access, order.move, "from: Int, to: Int", "move(in: \(id), from: from, to: to)", moving),
                ]
            }
            let variable = SwiftLayout.variable(head, "[\(baseType)]", "self[objects: \(id)]")
            return comment + variable + methods.joined()
        }
    }

    private func method(
        _ access: String, _ name: String, _ parameters: String, _ body: String, _ documentation: String
    ) -> String {
        DocumentationComment.source(documentation) + "\n"
            + SwiftLayout.method("    \(access)func \(name)", parameters, body)
    }

    // MARK: Types of attributes

    /// Returns the Swift type of an attribute's values.
    static func type(_ kind: Attribute.Kind) -> String {
        switch kind {
        case .string, .date, .json: "String"
        case .integer: "Int64"
        case .double: "Double"
        case .boolean: "Bool"
        case .timestamp: "Date"
        case .uuid: "UUID"
        case .data: "Data"
        }
    }

    /// Returns whether the Swift type comes from Foundation.
    static func isOfFoundation(_ kind: Attribute.Kind) -> Bool {
        switch kind {
        case .timestamp, .uuid, .data: true
        case .string, .integer, .double, .boolean, .date, .json: false
        }
    }
}
