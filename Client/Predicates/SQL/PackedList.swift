internal import RoostModel

/// A long list of values of one type as one argument: JSON that ``ObjectFunctions`` and `json_each` unpack without loss.
struct PackedList {
    let json: String
    /// What makes a value of a member, `value`.
    let expression: String

    /// - Returns: `nil` where the values are of several types.
    init?(_ values: [Value]) {
        switch values.first {
        case .integer: expression = "value"
        // Read as decimal digits a double might come out as its neighbour.
        case .real: expression = "roost_real(value)"
        // Hexadecimal, for json_each ends a text at its first NUL. GRDB gives NULL for no bytes.
        case .text: expression = "CAST(coalesce(roost_bytes(value), zeroblob(0)) AS TEXT)"
        case .bytes: expression = "coalesce(roost_bytes(value), zeroblob(0))"
        case .boolean, .null, nil: return nil
        }
        var members: [String] = []
        for value in values {
            switch (value, values.first) {
            case (.integer(let number), .integer): members.append(String(number))
            case (.real(let number), .real): members.append(String(Int64(bitPattern: number.bitPattern)))
            case (.text(let text), .text): members.append("\"\(Hex.encode(text.utf8))\"")
            case (.bytes(let bytes), .bytes): members.append("\"\(Hex.encode(bytes))\"")
            default: return nil
            }
        }
        json = "[\(members.joined(separator: ","))]"
    }
}
