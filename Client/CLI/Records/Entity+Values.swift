internal import Objects
internal import RoostModel

extension Entity {
    /// Converts a value that was typed for a property.
    ///
    /// - Throws: ``ObjectError`` with the code `invalidValue` if the text is not a value of the property's type, and
    ///   `unknown` if the entity stores nothing under the name.
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
        // The update checks whether the text is JSON.
        case .string, .json: .string(text)
        case .date, .uuid, .data: try AttributeJSON.value(.string(text), kind: self)
        // Users write "+5" and "007" as well.
        case .timestamp, .integer:
            try AttributeJSON.value(Int64(text).map { .integer($0) } ?? .string(text), kind: self)
        case .double, .boolean:
            // A text that is not JSON is passed on as a string. Of strings, only "inf", "-inf" and "nan" are doubles.
            try AttributeJSON.value((try? JSONParser.parse(text)) ?? .string(text), kind: self)
        }
    }
}
