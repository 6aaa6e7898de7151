internal import Objects
internal import RoostModel

extension Entity {
    /// A value of a property as somebody has typed it.
    ///
    /// - Throws: ``ObjectError`` with the code `invalidValue` for a text that is no such value, `unknown` where nothing is stored
    ///   under that name.
    func value(of text: String, for name: String) throws -> Value {
        do {
            if let attribute = attribute(named: name) { return try attribute.kind.value(of: text) }
            if references.contains(where: { $0.name == name }) { return try Attribute.Kind.uuid.value(of: text) }
        } catch {
            throw ObjectError(.invalidValue, "Cannot set \"\(name)\" of \(self.name): \(error.reason). \(error.cure).")
        }
        let known = (attributes.map(\.name) + references.map(\.name)).map { "\"\($0)\"" }.joined(separator: ", ")
        throw ObjectError(.unknown, "\(self.name) stores nothing under \"\(name)\". It has \(known).")
    }
}

extension Attribute.Kind {
    fileprivate func value(of text: String) throws(AttributeJSON.Mismatch) -> Value {
        switch self {
        // Whether it is JSON is checked with the update.
        case .string, .json: .text(text)
        case .date, .uuid, .data: try AttributeJSON.value(.string(text), kind: self)
        // People write "+5" and "007" as well.
        case .timestamp, .integer:
            try AttributeJSON.value(Int64(text).map { .integer($0) } ?? .string(text), kind: self)
        case .double, .boolean:
            // What is no JSON is a text, and no number.
            try AttributeJSON.value((try? JSONParser.parse(text)) ?? .string(text), kind: self)
        }
    }
}
