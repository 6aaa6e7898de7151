/// The form in which a replica file stores identifiers: those of records, the targets of references, and the values of `uuid`
/// attributes.
///
/// It is a property of one file. Schemas, messages and other devices know nothing of it: they have 16 bytes.
public enum IdentifierForm: String, Hashable, Sendable, CaseIterable {
    /// A BLOB of 16 bytes, which takes the least space.
    case bytes
    /// A TEXT of 32 lower-case hexadecimal digits, for programs that cannot use a BLOB as a key.
    case text

    /// Returns an identifier as the file stores it.
    package func value(_ id: RecordID) -> Value {
        switch self {
        case .bytes: .data(id.bytes)
        case .text: .string(id.digits)
        }
    }

    /// Returns an identifier as a literal of SQL, such as `x'0198…'`.
    package func literal(_ id: RecordID) -> String {
        switch self {
        case .bytes: "x'\(id.digits)'"
        case .text: "'\(id.digits)'"
        }
    }

    /// Returns a value of 16 bytes as a column for identifiers stores it; any other value unchanged.
    package func stored(_ value: Value) -> Value {
        guard self == .text, case .data(let bytes) = value, let id = RecordID(bytes: bytes) else { return value }
        return .string(id.digits)
    }
}

extension RecordID {
    /// The number of ``digits``.
    package static let digitCount = 32

    /// The 32 lower-case hexadecimal digits, without hyphens.
    package var digits: String {
        String(unsafeUninitializedCapacity: Self.digitCount) { text in
            writeDigits(to: UnsafeMutableRawBufferPointer(text))
            return Self.digitCount
        }
    }

    /// Writes ``digits`` to the start of a buffer of at least 32 bytes.
    package func writeDigits(to buffer: UnsafeMutableRawBufferPointer) {
        for index in 0..<Self.digitCount {
            let word = index < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index & 15))) & 15
            buffer[index] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
        }
    }

    /// Reads ``digits``; `nil` for anything else, such as upper-case digits.
    package init?(digits: UnsafeRawBufferPointer) {
        guard digits.count == Self.digitCount else { return nil }
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for (index, digit) in digits.enumerated() {
            let nibble: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): nibble = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): nibble = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if index < 16 {
                words.high = words.high << 4 | UInt64(nibble)
            } else {
                words.low = words.low << 4 | UInt64(nibble)
            }
        }
        self.init(high: words.high, low: words.low)
    }
}
