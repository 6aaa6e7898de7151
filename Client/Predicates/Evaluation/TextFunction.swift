package import RoostModel

extension PredicateTerm.TextFunction {
    /// The name of the SQL function.
    package var sqlName: String { "roost_\(rawValue)" }

    /// The function's value of a text; nil of nil.
    package func applied(to value: Value) -> Value {
        guard case .string(let text) = value else { return .null }
        return switch self {
        case .uppercase: .string(text.uppercased())
        case .lowercase: .string(text.lowercased())
        case .length: .integer(Int64(text.streamSafe.count))
        }
    }
}
