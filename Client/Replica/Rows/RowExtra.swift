internal import RoostModel

/// What a record's put holds beyond the columns of its table, or leaves out: with it a row gives the put's bytes again.
struct RowExtra: Hashable {
    /// Properties that the schema does not know.
    var put = Put()
    /// Attributes of which the put says nothing, and whose column has their default. In ascending order.
    var absent: [PropertyID] = []

    /// Not a field of the `Put` message: Roost before this passes over it.
    private static let absentField = 15

    init() {}

    /// Reads what ``encoded()`` has written.
    init(encoded bytes: [UInt8]) throws(ContentError) {
        put = try Put(encoded: bytes)
        absent = try bytes.withBytes { (bytes) throws(ContentError) in
            var absent: [PropertyID] = []
            var reader = ProtobufReader(bytes)
            while let field = try reader.next() {
                if field.number == Self.absentField, case .varint(let number) = field.value {
                    absent.append(PropertyID(UInt32(truncatingIfNeeded: number)))
                }
            }
            return absent
        }
    }

    /// The form in which `roost_extra` keeps it.
    func encoded() -> [UInt8] {
        var writer = ProtobufWriter()
        for property in absent { writer.writeVarint(Self.absentField, UInt64(property.rawValue)) }
        return put.encoded() + writer.bytes
    }
}
