internal import RoostModel

/// What a record's put holds beyond the columns of its table, or leaves out: with it a row gives the put's bytes again.
struct RowExtra: Hashable {
    /// Properties that the schema does not know.
    var put = Put()
    /// Attributes of which the put says nothing, and whose column has their default. In ascending order.
    var absent: [PropertyID] = []
    /// The whole put as it came, where columns, ``put`` and ``absent`` do not give its bytes again: it has fields of a later version, values
    /// that no column holds, or is not in the canonical form. Then ``put`` and ``absent`` are empty.
    var original: [UInt8]?
    /// Whether an earlier version of Roost noted that the row does not give the put's bytes again, and did not keep them: the content cannot
    /// be checked by the put's hash.
    var isIrregular = false

    /// Not fields of the `Put` message.
    private static let absentField = 15
    private static let irregularField = 14
    private static let originalField = 13

    var isEmpty: Bool { self == RowExtra() }

    init() {}

    /// - Parameter original: A put that needs to be kept whole.
    init(original: [UInt8]) { self.original = original }

    /// Reads what ``encoded()`` has written.
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

    /// The form in which `roost_extra` keeps it.
    func encoded() -> [UInt8] {
        var writer = ProtobufWriter()
        for property in absent { writer.writeVarint(Self.absentField, UInt64(property.rawValue)) }
        if isIrregular { writer.writeVarint(Self.irregularField, 1) }
        if let original { writer.writeBytes(Self.originalField, original) }
        return put.encoded() + writer.bytes
    }
}
