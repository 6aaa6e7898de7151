internal import RoostModel

/// A long list of values of one type as one SQL argument: JSON that `json_each` and ``PredicateFunctions`` unpack without loss.
struct PackedList {
    let json: String
    /// The SQL that decodes a member, named `value`.
    let expression: String

    /// - Returns: `nil` for values of several types.
    init?(_ values: [Value], areIdentifiers: Bool) {
        switch values.first {
        case .integer: expression = "value"
        // Decimal digits might be parsed as an adjacent double.
        case .double: expression = "roost_real(value)"
        // Hexadecimal, since json_each ends a text at its first NUL. GRDB reads empty data as NULL.
        case .string: expression = "CAST(coalesce(roost_bytes(value), zeroblob(0)) AS TEXT)"
        case .data where areIdentifiers: expression = "roost_identifier(value)"
        case .data: expression = "coalesce(roost_bytes(value), zeroblob(0))"
        case .boolean, .null, nil: return nil
        }
        var members: [String] = []
        for value in values {
            switch (value, values.first) {
            case (.integer(let number), .integer): members.append(String(number))
            case (.double(let number), .double): members.append(String(Int64(bitPattern: number.bitPattern)))
            case (.string(let text), .string): members.append("\"\(Hex.encode(text.utf8))\"")
            case (.data(let bytes), .data): members.append("\"\(Hex.encode(bytes))\"")
            default: return nil
            }
        }
        json = "[\(members.joined(separator: ","))]"
    }
}
