extension JSONValue {
    /// The value as JSON text on one line.
    package var text: String { String(decoding: encoded, as: UTF8.self) }

    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes, indent: nil)
        return bytes
    }

    /// The value as JSON text for people, indented by two spaces a level.
    package var prettyText: String {
        var bytes: [UInt8] = []
        write(into: &bytes, indent: 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(into bytes: inout [UInt8], indent: Int?) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .boolean(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): Self.writeString(text, into: &bytes)
        case .array(let items):
            Self.writeList(items, "[", "]", into: &bytes, indent: indent) { $0.write(into: &$1, indent: $2) }
        case .object(let members):
            Self.writeList(members, "{", "}", into: &bytes, indent: indent) { member, bytes, indent in
                Self.writeString(member.name, into: &bytes)
                bytes.append(contentsOf: (indent == nil ? ":" : ": ").utf8)
                member.value.write(into: &bytes, indent: indent)
            }
        }
    }

    private static func writeList<Item>(
        _ items: [Item], _ open: String, _ close: String, into bytes: inout [UInt8], indent: Int?,
        _ write: (Item, inout [UInt8], Int?) -> Void
    ) {
        bytes.append(contentsOf: open.utf8)
        let inner = indent.map { $0 + 2 }
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            newLine(inner, into: &bytes)
            write(item, &bytes, inner)
        }
        if !items.isEmpty { newLine(indent, into: &bytes) }
        bytes.append(contentsOf: close.utf8)
    }

    private static func newLine(_ indent: Int?, into bytes: inout [UInt8]) {
        guard let indent else { return }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: indent))
    }

    private static func writeString(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20, 0x7F: bytes.append(contentsOf: "\\u00\(Hex.encode([byte]))".utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
