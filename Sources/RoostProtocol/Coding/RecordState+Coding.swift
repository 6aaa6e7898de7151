package import RoostModel

extension RecordState: ProtobufDecodable {
    /// Encodes the record as a `Record` message. A server stores a record in this form and sends it as stored.
    package func protobuf() -> [UInt8] {
        var writer = ProtobufWriter(capacity: 96 + (put?.encoded.count ?? 0))
        writer.writeVarint(1, UInt64(key.entity.rawValue))
        writer.writeID(2, key.id)
        if let put {
            writer.writeBytes(3, put.stamp.bytes)
            writer.writeBytes(4, put.encoded)
            if let base = put.base { writer.writeBytes(5, base.bytes) }
        }
        if let delete { writer.writeBytes(6, delete.bytes) }
        return writer.bytes
    }

    package init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        var entity: UInt32?
        var id: RecordID?
        var stamp: HybridTimestamp?
        var encoded: [UInt8] = []
        var base: HybridTimestamp?
        var delete: HybridTimestamp?
        var reader = FieldReader(bytes, of: "Record")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): entity = UInt32(exactly: number)
            case (2, .bytes(let bytes)): id = RecordID(bytes: bytes)
            case (3, .bytes(let bytes)): stamp = try reader.stamp(bytes)
            case (4, .bytes(let bytes)): encoded = Array(bytes)
            case (5, .bytes(let bytes)): base = try reader.stamp(bytes)
            case (6, .bytes(let bytes)): delete = try reader.stamp(bytes)
            default: break
            }
        }
        guard let entity, entity > 0, let id, stamp != nil || delete != nil else {
            throw CodingError("A Record needs an entity, an id, and a put or a delete.")
        }
        self.init(
            key: RecordKey(entity: EntityID(entity), id: id),
            put: stamp.map { PutSlot(stamp: $0, base: base, encoded: encoded) }, delete: delete)
    }

    package func json(_ names: RecordJSON) throws(CodingError) -> JSONValue {
        let object = put.map { names.exactObject($0.encoded, of: key.entity) }
        let hash = put.map { Hex.encode(ContentHash(of: $0.encoded).bytes) }
        return .members(
            ("entity", .string(names.name(of: key.entity))), ("record", .string(key.id.description)),
            ("stamp", put.map { .string($0.stamp.description) }), ("put", object), ("hash", hash.map { .string($0) }),
            ("base", put?.base.map { .string($0.description) }),
            ("deleted", delete.map { .string($0.description) }))
    }

    package init(json value: JSONValue, _ names: RecordJSON) throws(CodingError) {
        let reader = try MemberReader(value, at: "A record")
        let key = try reader.key(names)
        var slot: PutSlot?
        if let put = reader.member("put") {
            slot = PutSlot(
                stamp: try reader.stamp("stamp"), base: try reader.optionalStamp("base"),
                encoded: try names.putBytes(put, of: key.entity, at: "A record"))
        }
        let delete = try reader.optionalStamp("deleted")
        guard slot != nil || delete != nil else { throw CodingError("A record needs \"put\" or \"deleted\".") }
        self.init(key: key, put: slot, delete: delete)
    }
}
