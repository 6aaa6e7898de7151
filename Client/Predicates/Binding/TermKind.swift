package import RoostModel

/// The type of a term or path: an attribute's type, or a record.
package enum TermKind: Hashable, Sendable {
    case value(Attribute.Kind)
    /// A record of the named entity, as its identifier.
    case record(String)
    /// The type of the constant nil.
    case null

    /// Whether values of the type are stored as identifiers.
    var isIdentifier: Bool {
        switch self {
        case .value(let kind): kind == .uuid
        case .record: true
        case .null: false
        }
    }

    /// The type, for messages.
    var name: String {
        switch self {
        case .value(let kind): kind.phrase
        case .record(let entity): "a record of \"\(entity)\""
        case .null: "nil"
        }
    }

    var isNumber: Bool { self == .value(.integer) || self == .value(.double) }

    /// Whether the text operators from BEGINSWITH to MATCHES apply.
    var isText: Bool {
        switch self {
        case .value(.string), .value(.date), .value(.json), .null: true
        default: false
        }
    }

    /// Whether values of this type have an order.
    var isOrdered: Bool {
        switch self {
        case .value(.integer), .value(.double), .value(.string), .value(.date), .value(.timestamp), .null: true
        default: false
        }
    }

    /// Whether values of the two types can be equal.
    func isComparable(with other: TermKind) -> Bool {
        if self == other || self == .null || other == .null || (isNumber && other.isNumber) { return true }
        let texts: [TermKind] = [.value(.string), .value(.json)]
        return texts.contains(self) && texts.contains(other)
    }
}
