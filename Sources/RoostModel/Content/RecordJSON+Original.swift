/// The JSON form of puts that JSON members cannot reproduce byte for byte.
///
/// Such an object has the whole put in Base64 under ``RecordJSON/original``. A client sends that member back with its
/// edits, and only the members that it changed replace parts of the put. Fields of later versions, the bits of a NaN, text
/// that is not UTF-8, JSON with a repeated name and the spaces of JSON texts survive an edit of another member.
extension RecordJSON {
    /// The name of the member that contains a whole put.
    package static let original = "#"

    /// Writes an encoded put as an object from which ``put(_:of:texts:)`` reads equal bytes.
    ///
    /// - Parameter texts: The texts of JSON attributes that the reader will also have.
    package func exactObject(_ encoded: [UInt8], of entity: EntityID, texts: [String: String] = [:]) -> JSONValue {
        var members: [JSONValue.Member] = []
        do {
            members = try object(encoded, of: entity, unfit: .spelledOut).members ?? []
            if try put(.object(members), of: entity, texts: texts) == encoded { return .object(members) }
        } catch {
            // Bytes that are not a valid put have no members, and a value of another form than its type's cannot be read by
            // its name.
        }
        return .object(members + [.init(Self.original, .string(Base64.encode(encoded)))])
    }

    /// Revises a put by the members of the object that contains it.
    ///
    /// - Parameter members: The members without the put itself.
    func revised(
        _ original: JSONValue, by members: [JSONValue.Member], of entity: EntityID, texts: [String: String]
    ) throws(AttributeJSON.Mismatch) -> [UInt8] {
        guard let put = original.stringValue.flatMap({ Base64.decode($0) }) else { throw Self.noPut }
        var before: [JSONValue.Member] = []
        var earlier: [JSONValue.Member] = []
        var textsBefore: [String: String] = [:]
        do {
            before = try object(put, of: entity, unfit: .spelledOut).members ?? []
            // Both are in the order of the put's fields.
            earlier = try object(put, of: entity).members ?? []
            textsBefore = try self.texts(put, of: entity)
        } catch {
            // Bytes that are not a valid put can only be sent back unchanged.
            guard members.isEmpty else { throw Self.noPut }
            return put
        }
        let known = self.entity(entity)
        let changed = members.filter { member in
            if let text = texts[member.name] { return !text.isSameText(as: textsBefore[member.name] ?? "") }
            let kind = known?.attribute(named: member.name)?.kind
            return ![before, earlier].contains { old in
                old.contains { $0.name.isSameText(as: member.name) && isSame(member.value, $0.value, kind) }
            }
        }
        let kept = Set(members.map { ExactText($0.name) }).subtracting(changed.map { ExactText($0.name) })
        var revision = PutRevision()
        for (old, earlier) in zip(before, earlier)
        where !kept.contains(ExactText(old.name)) && !kept.contains(ExactText(earlier.name)) {
            remove(old, known, from: &revision)
        }
        let (fields, references) = try parsed(changed, of: entity, texts: texts)
        for field in fields { revision.attributes.updateValue(field.value, forKey: field.property) }
        for reference in references {
            revision.references.updateValue(reference.target, forKey: reference.relationship)
        }
        do {
            return try revision.applied(to: put)
        } catch {
            throw Self.noPut
        }
    }

    private static let noPut = AttributeJSON.Mismatch(
        reason: "\"\(original)\" is not the Base64 of a put", cure: "Write it back as it came, or leave it out")

    /// Whether a member has the put's value. Doubles are compared as numbers: a client may write them in other digits.
    private func isSame(_ new: JSONValue, _ old: JSONValue, _ kind: Attribute.Kind?) -> Bool {
        if kind == .double, let new = new.doubleValue, let old = old.doubleValue { return new == old }
        return new == old
    }

    private func remove(_ member: JSONValue.Member, _ known: Entity?, from revision: inout PutRevision) {
        if let attribute = known?.attribute(named: member.name) {
            revision.attributes.updateValue(nil, forKey: attribute.id)
        } else if let relationship = known?.references.first(where: { $0.name.isSameText(as: member.name) }) {
            revision.references.updateValue(nil, forKey: relationship.id)
        } else if let number = Self.number(member.name) {
            if member.value["record"] != nil {
                revision.references.updateValue(nil, forKey: PropertyID(number))
            } else {
                revision.attributes.updateValue(nil, forKey: PropertyID(number))
            }
        }
    }
}
