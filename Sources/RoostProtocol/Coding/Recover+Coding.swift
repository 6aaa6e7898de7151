package import RoostModel

extension RecoverRequest: Message {
    package func protobuf() -> [UInt8] {
        var writer = ProtobufWriter(capacity: 128 * records.count)
        for record in records { writer.writeBytes(1, record.protobuf()) }
        return writer.bytes
    }

    package init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        try self.init(protobuf: bytes, recordsMax: .max)
    }

    /// Reads a request of an untrusted client. Reading stops at the first record beyond the limit.
    package init(
        _ bytes: [UInt8], as type: MediaType, _ names: RecordJSON, recordsMax: Int
    ) throws(CodingError) {
        switch type {
        case .protobuf:
            self = try bytes.withBytes { (bytes) throws(CodingError) in
                try Self(protobuf: bytes, recordsMax: recordsMax)
            }
        case .json: try self.init(json: try Self.value(bytes), names, recordsMax: recordsMax)
        }
    }

    private init(protobuf bytes: UnsafeRawBufferPointer, recordsMax: Int) throws(CodingError) {
        self.init(records: [])
        var reader = FieldReader(bytes, of: "RecoverRequest")
        while let field = try reader.next() {
            if case (1, .bytes(let bytes)) = (field.number, field.value) {
                try Self.check(records.count + 1, recordsMax)
                records.append(try RecordState(protobuf: bytes))
            }
        }
    }

    private static func check(_ count: Int, _ recordsMax: Int) throws(CodingError) {
        guard count > recordsMax else { return }
        throw CodingError("it has more than \(recordsMax) records, which is the limit. Send less at once.", .tooMany)
    }

    package func json(_ names: RecordJSON) throws(CodingError) -> JSONValue {
        var items: [JSONValue] = []
        for record in records { items.append(try record.json(names)) }
        return .members(("records", .array(items)))
    }

    package init(json value: JSONValue, _ names: RecordJSON) throws(CodingError) {
        try self.init(json: value, names, recordsMax: .max)
    }

    private init(json value: JSONValue, _ names: RecordJSON, recordsMax: Int) throws(CodingError) {
        self.init(records: [])
        let items = try MemberReader(value, at: "The body").list("records")
        try Self.check(items.count, recordsMax)
        for item in items { records.append(try RecordState(json: item, names)) }
    }
}

extension RecoverReply: Message {
    package func protobuf() -> [UInt8] {
        var writer = ProtobufWriter(capacity: 20 + 24 * purged.count)
        writer.writeVarint(1, stored)
        writer.writeVarint(2, serverTime)
        for key in purged { writer.writeBytes(3, key.protobuf()) }
        return writer.bytes
    }

    package init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        self.init(stored: 0, serverTime: 0)
        var reader = FieldReader(bytes, of: "RecoverReply")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): stored = number
            case (2, .varint(let time)): serverTime = time
            case (3, .bytes(let bytes)): purged.append(try RecordKey(protobuf: bytes))
            default: break
            }
        }
    }

    package func json(_ names: RecordJSON) throws(CodingError) -> JSONValue {
        let gone = purged.map { $0.json(names) }
        return .members(
            ("stored", .integer(stored)), ("purged", gone.isEmpty ? nil : .array(gone)),
            ("serverTime", .integer(serverTime)))
    }

    package init(json value: JSONValue, _ names: RecordJSON) throws(CodingError) {
        let body = try MemberReader(value, at: "The reply")
        self.init(stored: try body.number("stored"), serverTime: try body.number("serverTime"))
        for item in try body.optional("purged", "an array", { $0.arrayValue }) ?? [] {
            purged.append(try MemberReader(item, at: "A purged record").key(names))
        }
    }
}
