internal import RoostModel

/// The difference between a record's put and its row: the content beyond the table's columns, and the attributes that the put
/// omits. A row with its extra reproduces the put's bytes.
struct RowExtra: Hashable {
    /// Properties that the schema does not know.
    var put = Put()
    /// The attributes that the put omits and whose columns hold their defaults, in ascending order.
    var absent: [PropertyID] = []
    /// The whole put as it arrived, where columns, ``put`` and ``absent`` do not reproduce its bytes. It then has fields of a
    /// later version, values that no column holds, or a form that is not canonical. ``put`` and ``absent`` are empty in that
    /// case.
    var original: [UInt8]?
    /// Whether an earlier version of Roost noted that the row does not reproduce the put's bytes, and did not store them. The
    /// content cannot be checked by the put's hash.
    var isIrregular = false

    /// Field numbers that the `Put` message does not use.
    private static let absentField = 15
    private static let irregularField = 14
    private static let originalField = 13

    var isEmpty: Bool { self == RowExtra() }

    init() {}

    /// - Parameter original: A put that must be stored whole.
    init(original: [UInt8]) { self.original = original }

    /// Decodes the form of ``encoded()``.
    init(encoded bytes: [UInt8]) throws(ContentError) {
        put = try Put(encoded: bytes)
        var extra = self
        try bytes.withBytes { (bytes) throws(ContentError) in
            var reader = ProtobufReader(bytes)
            while let field = try reader.next() {
                switch (field.number, field.value) {
                case (Self.absentField, .varint(let number)):
                    extra.absent.append(PropertyID(UInt32(truncatingIfNeeded: number)))
                case (Self.irregularField, .varint(1)): extra.isIrregular = true
                case (Self.originalField, .bytes(let bytes)): extra.original = Array(bytes)
                default: break
                }
            }
        }
        self = extra
    }

    /// Encodes the extra in the form that `roost_extra` stores.
    func encoded() -> [UInt8] {
        var writer = ProtobufWriter()
        for property in absent { writer.writeVarint(Self.absentField, UInt64(property.rawValue)) }
        if isIrregular { writer.writeVarint(Self.irregularField, 1) }
        if let original { writer.writeBytes(Self.originalField, original) }
        return put.encoded() + writer.bytes
    }
}
