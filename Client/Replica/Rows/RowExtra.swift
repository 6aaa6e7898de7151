internal import RoostModel

/// What a record's put holds beyond the columns of its table, or leaves out: with it a row gives the put's bytes again.
struct RowExtra: Hashable {
    /// Properties that the schema does not know.
    var put = Put()
    /// Attributes of which the put says nothing, and whose column has their default. In ascending order.
    var absent: [PropertyID] = []
    /// Whether the row does not give the put's bytes again all the same: they are not in the canonical form, or hold a number that SQLite
    /// has no other form for. Its content cannot be checked by the put's hash.
    var isIrregular = false

    /// Not fields of the `Put` message: Roost before this passes over them.
    private static let absentField = 15
    private static let irregularField = 14

    var isEmpty: Bool { self == RowExtra() }

    init() {}

    /// Reads what ``encoded()`` has written.
    init(encoded bytes: [UInt8]) throws(ContentError) {
        put = try Put(encoded: bytes)
        (absent, isIrregular) = try bytes.withBytes { (bytes) throws(ContentError) in
            var absent: [PropertyID] = []
            var isIrregular = false
            var reader = ProtobufReader(bytes)
            while let field = try reader.next() {
                switch (field.number, field.value) {
                case (Self.absentField, .varint(let number)):
                    absent.append(PropertyID(UInt32(truncatingIfNeeded: number)))
                case (Self.irregularField, .varint(1)): isIrregular = true
                default: break
                }
            }
            return (absent, isIrregular)
        }
    }

    /// The form in which `roost_extra` keeps it.
    func encoded() -> [UInt8] {
        var writer = ProtobufWriter()
        for property in absent { writer.writeVarint(Self.absentField, UInt64(property.rawValue)) }
        if isIrregular { writer.writeVarint(Self.irregularField, 1) }
        return put.encoded() + writer.bytes
    }
}
