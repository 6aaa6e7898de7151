/// The form of a put as a plain JSON object under the names of a schema, for `curl`, scripts and people.
///
/// Attributes and references are members under their names. A nil may be left out or written `null`. A property that the
/// schema does not have is a member under `#` and its number, with its form spelled out, and survives unchanged. Content
/// that no member can express survives in the whole put: see ``exactObject(_:of:texts:)``.
package struct RecordJSON: Sendable {
    private let entities: [EntityID: Entity]
    private let names: [ExactText: Entity]

    package init(_ schema: Schema) {
        entities = Dictionary(uniqueKeysWithValues: schema.recordEntities.map { ($0.id, $0) })
        names = Dictionary(uniqueKeysWithValues: schema.recordEntities.map { (ExactText($0.name), $0) })
    }

    /// Returns the entity with a number; `nil` if the schema has none.
    func entity(_ entity: EntityID) -> Entity? { entities[entity] }

    package func name(of entity: EntityID) -> String {
        entities[entity]?.name ?? "#\(entity)"
    }

    package func entity(named name: String) -> EntityID? {
        name.utf8.first == UInt8(ascii: "#") ? Self.number(name).map { EntityID($0) } : names[ExactText(name)]?.id
    }

    /// The notation of a value of another form than its attribute's type.
    package enum UnfitForm: Sendable {
        /// A member under the number of its attribute, with its form spelled out.
        case spelledOut
        /// A member under the name of its attribute, as earlier servers write it.
        case asStored
    }

    /// Writes an encoded put as an object for people, or for a reader that does not send it back.
    package func object(
        _ encoded: [UInt8], of entity: EntityID, unfit form: UnfitForm = .asStored
    ) throws(ContentError) -> JSONValue {
        let put = try Put(encoded: encoded)
        let known = entities[entity]
        var members: [JSONValue.Member] = []
        for field in try ContentCoding.decode(put.content) {
            if let attribute = known?.attributes.first(where: { $0.id == field.property }),
                case let value = attribute.widened(field.value),
                form == .asStored || AttributeJSON.fits(value, kind: attribute.kind)
            {
                members.append(.init(attribute.name, AttributeJSON.json(value, kind: attribute.kind)))
            } else {
                members.append(.init("#\(field.property)", UnknownJSON.json(field.value)))
            }
        }
        for reference in put.references {
            if let name = known?.references.first(where: { $0.id == reference.relationship })?.name {
                members.append(.init(name, .string(reference.target.description)))
            } else {
                let target = JSONValue.members(("record", .string(reference.target.description)))
                members.append(.init("#\(reference.relationship)", target))
            }
        }
        return .object(members)
    }

    /// Returns the exact texts of a put's JSON attributes, by their names. An object of the put loses their spaces, and
    /// does not tell a JSON `null` from a nil.
    package func texts(_ encoded: [UInt8], of entity: EntityID) throws(ContentError) -> [String: String] {
        guard let attributes = entities[entity]?.attributes.filter({ $0.kind == .json }), !attributes.isEmpty else {
            return [:]
        }
        var texts: [String: String] = [:]
        for field in try ContentCoding.decode(Put(encoded: encoded).content) {
            guard let attribute = attributes.first(where: { $0.id == field.property }),
                case .string(let text) = field.value
            else { continue }
            texts[attribute.name] = text
        }
        return texts
    }

    /// Reads an object as an encoded put in canonical form. An object with the member ``original`` becomes that put,
    /// revised by the members that differ from it.
    ///
    /// - Parameter texts: Texts of JSON attributes, which are kept unchanged.
    /// - Throws: ``AttributeJSON/Mismatch`` naming the member that does not fit.
    package func put(
        _ object: JSONValue, of entity: EntityID, texts: [String: String] = [:]
    ) throws(AttributeJSON.Mismatch) -> [UInt8] {
        guard let members = object.members else {
            throw .init(reason: "\"put\" is \(object.kindName)", cure: "Write an object of attributes and references")
        }
        let named = members.filter { !$0.name.isSameText(as: Self.original) }
        if let original = object[Self.original] { return try revised(original, by: named, of: entity, texts: texts) }
        let (fields, references) = try parsed(named, of: entity, texts: texts)
        return Put(references: references, content: ContentCoding.encode(fields)).encoded()
    }

    /// Reads members as fields and references, each in ascending order. A nil is left out.
    func parsed(
        _ members: [JSONValue.Member], of entity: EntityID, texts: [String: String]
    ) throws(AttributeJSON.Mismatch) -> (fields: [ContentCoding.Field], references: [Put.Reference]) {
        let known = entities[entity]
        var references: [Put.Reference] = []
        var fields: [ContentCoding.Field] = []
        for member in members {
            if let attribute = known?.attribute(named: member.name) {
                if attribute.kind == .json, let text = texts[member.name] {
                    fields.append(.init(property: attribute.id, value: .string(text)))
                } else if let value = try attributeValue(member.value, attribute) {
                    fields.append(.init(property: attribute.id, value: value))
                }
            } else if let relationship = known?.references.first(where: {
                $0.name.isSameText(as: member.name)
            }) {
                if let target = try target(member.value, member.name) {
                    references.append(.init(relationship: relationship.id, target: target))
                }
            } else {
                try unknown(member, into: &fields, &references)
            }
        }
        fields.sort { $0.property < $1.property }
        references.sort { $0.relationship < $1.relationship }
        try refuseRepetition(fields.map(\.property) + references.map(\.relationship))
        return (fields, references)
    }

    /// Refuses a property that occurs twice, under its name and its number together.
    private func refuseRepetition(_ properties: [PropertyID]) throws(AttributeJSON.Mismatch) {
        var seen: Set<PropertyID> = []
        for property in properties where !seen.insert(property).inserted {
            throw .init(reason: "the property with the id \(property) is there twice", cure: "Write it once")
        }
    }

    /// Reads the number of an unknown entity or property: `#` and decimal digits, from 1.
    static func number(_ name: String) -> UInt32? {
        let digits = name.utf8.dropFirst()
        let isNumber = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard name.utf8.first == UInt8(ascii: "#"), isNumber, digits.count <= 10, digits.first != UInt8(ascii: "0"),
            let number = UInt32(name.dropFirst())
        else { return nil }
        return number
    }

    private func attributeValue(
        _ json: JSONValue, _ attribute: Attribute
    ) throws(AttributeJSON.Mismatch) -> Value? {
        if json == .null { return attribute.defaultValue == nil ? nil : .null }
        do {
            return attribute.narrowed(try AttributeJSON.value(json, kind: attribute.kind))
        } catch {
            throw .init(
                reason: "\"\(attribute.name)\" is not \(attribute.kind.phrase): \(error.reason)", cure: error.cure)
        }
    }

    private func target(_ json: JSONValue, _ name: String) throws(AttributeJSON.Mismatch) -> RecordID? {
        if json == .null { return nil }
        guard let id = json.stringValue.flatMap({ RecordID($0) }) else {
            throw .init(
                reason: "\"\(name)\" is not a record's identifier", cure: "Write a UUID of 36 characters, or null")
        }
        return id
    }

    private func unknown(
        _ member: JSONValue.Member, into fields: inout [ContentCoding.Field], _ references: inout [Put.Reference]
    ) throws(AttributeJSON.Mismatch) {
        guard let number = Self.number(member.name) else {
            throw .init(
                reason: "\"\(member.name)\" is not a property of this entity",
                cure: "Correct the name, or publish a schema version that has it")
        }
        if member.value.members?.count == 1, let text = member.value["record"]?.stringValue, let target = RecordID(text)
        {
            references.append(.init(relationship: PropertyID(number), target: target))
        } else if let value = UnknownJSON.value(member.value) {
            fields.append(.init(property: PropertyID(number), value: value))
        } else {
            throw .init(
                reason: "\"\(member.name)\" does not spell out its form",
                cure: "Write {\"text\": …}, {\"integer\": …}, {\"real\": …}, {\"boolean\": …}, {\"bytes\": …}, "
                    + "{\"null\": true} or {\"record\": …}")
        }
    }
}

/// The JSON form of attribute values that the schema does not have, with their form spelled out.
private enum UnknownJSON {
    static func json(_ value: Value) -> JSONValue {
        switch value {
        case .null: .members(("null", .boolean(true)))
        case .string(let text): .members(("text", .string(text)))
        case .integer(let number): .members(("integer", .integer(number)))
        case .double(let number): .members(("real", AttributeJSON.json(.double(number), kind: .double)))
        case .boolean(let flag): .members(("boolean", .boolean(flag)))
        case .data(let bytes): .members(("bytes", .string(Base64.encode(bytes))))
        }
    }

    static func value(_ json: JSONValue) -> Value? {
        // A longer name matches none of the cases, and is not compared with them.
        guard let member = json.members?.first, json.members?.count == 1, member.name.utf8.count <= 7 else {
            return nil
        }
        switch member.name {
        case "null": return member.value.booleanValue == true ? .null : nil
        case "text": return member.value.stringValue.map { .string($0) }
        case "integer": return member.value.integerOrText.map { .integer($0) }
        case "real": return AttributeJSON.double(member.value).map { .double($0) }
        case "boolean": return member.value.booleanValue.map { .boolean($0) }
        case "bytes": return member.value.stringValue.flatMap { Base64.decode($0) }.map { .data($0) }
        default: return nil
        }
    }
}
