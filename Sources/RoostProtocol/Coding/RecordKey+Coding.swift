internal import RoostModel

extension RecordKey {
    /// Encodes the key as a `RecordName` message.
    func protobuf() -> [UInt8] {
        var writer = ProtobufWriter(capacity: 24)
        writer.writeVarint(1, UInt64(entity.rawValue))
        writer.writeID(2, id)
        return writer.bytes
    }

    init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        var entity: UInt32?
        var id: RecordID?
        var reader = FieldReader(bytes, of: "RecordName")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): entity = UInt32(exactly: number)
            case (2, .bytes(let bytes)): id = RecordID(bytes: bytes)
            default: break
            }
        }
        guard let entity, entity > 0, let id else { throw CodingError("A RecordName needs an entity and an id.") }
        self.init(entity: EntityID(entity), id: id)
    }

    func json(_ names: RecordJSON) -> JSONValue {
        .members(("entity", .string(names.name(of: entity))), ("record", .string(id.description)))
    }
}
