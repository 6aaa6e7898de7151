internal import RoostModel

extension ManagedObject: CustomStringConvertible {
    /// The entity, the record and the values of attributes and to-one relationships, for `print` and debuggers:
    /// `Person 0190c2a4-…-7d1f (name: "Ana", born: nil)`. Nothing is read from the store, and long texts are shortened.
    ///
    /// Messages and errors of Roost name the entity and the record alone, because values are the user's.
    public var description: String {
        let shown = layout.columns.map { "\($0.name): \(Self.shown(values[$0.index], $0))" }
        return "\(identity) (\(shown.joined(separator: ", ")))"
    }

    /// The entity and the record, without values.
    final var identity: String { "\(layout.name) \(objectID.record)" }

    private static let charactersMax = 100

    private static func shown(_ value: Value, _ column: StoredProperty) -> String {
        switch value {
        case .null: return "nil"
        case .string(let text):
            let part = text.prefix(charactersMax)
            return String(part).debugDescription + (part.endIndex < text.endIndex ? "…" : "")
        case .integer(let number):
            return column.valueKind == .timestamp ? CalendarText.utcText(milliseconds: number) : String(number)
        case .double(let number): return "\(number)"
        case .boolean(let flag): return String(flag)
        case .data(let bytes):
            guard column.valueKind == .uuid, let id = RecordID(bytes: bytes) else { return "\(bytes.count) bytes" }
            return id.description
        }
    }
}

extension DefaultStringInterpolation {
    /// Names an object without its values. Every text of this module uses this form, so that no message has values of the user.
    mutating func appendInterpolation(_ object: ManagedObject) {
        appendLiteral(object.identity)
    }
}
