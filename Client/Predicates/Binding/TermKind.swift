package import RoostModel

/// What a term or a path gives: the type of an attribute, or a record.
package enum TermKind: Hashable, Sendable {
    case value(Attribute.Kind)
    /// A record of the named entity, as its identifier.
    case record(String)
    /// Nothing but nil.
    case null

    /// As messages name it.
    var name: String {
        switch self {
        case .value(.integer): "an integer"
        case .value(let kind): kind == .data || kind == .json ? kind.rawValue : "a \(kind.rawValue)"
        case .record(let entity): "a \"\(entity)\""
        case .null: "nil"
        }
    }

    var isNumber: Bool { self == .value(.integer) || self == .value(.double) }

    /// Whether it is text, with which the words BEGINSWITH to MATCHES work.
    var isText: Bool {
        switch self {
        case .value(.string), .value(.date), .value(.json), .null: true
        default: false
        }
    }

    /// Whether one can be less than another.
    var isOrdered: Bool {
        switch self {
        case .value(.integer), .value(.double), .value(.string), .value(.date), .value(.timestamp), .null: true
        default: false
        }
    }

    /// Whether values of both can be equal.
    func isComparable(with other: TermKind) -> Bool {
        if self == other || self == .null || other == .null || (isNumber && other.isNumber) { return true }
        let texts: [TermKind] = [.value(.string), .value(.json)]
        return texts.contains(self) && texts.contains(other)
    }
}
