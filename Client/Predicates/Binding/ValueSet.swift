internal import RoostModel

/// The constants of an IN, all of one kind; texts are compared by their bytes.
package struct ValueSet: Hashable, Sendable {
    /// The distinct values without nil, in the given order.
    let values: [Value]
    let includesNull: Bool
    private let keys: Set<Key>

    private enum Key: Hashable {
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case bytes([UInt8])

        init?(_ value: Value) {
            switch value {
            case .null: return nil
            case .integer(let number): self = .integer(number)
            case .boolean(let flag): self = .integer(flag ? 1 : 0)
            // An integer and its double are one value.
            case .double(let number): self = Int64(exactly: number).map(Key.integer) ?? .real(number)
            case .string(let text): self = .text(Array(text.utf8))
            case .data(let bytes): self = .bytes(bytes)
            }
        }
    }

    init(_ values: [Value]) {
        var keys: Set<Key> = []
        self.values = values.filter { value in Key(value).map { keys.insert($0).inserted } ?? false }
        self.keys = keys
        includesNull = values.contains(.null)
    }

    func contains(_ value: Value) -> Bool {
        Key(value).map(keys.contains) ?? includesNull
    }
}
