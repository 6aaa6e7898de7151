package import RoostModel

extension PullReply: Message {
    package func protobuf() -> [UInt8] {
        Self.protobuf(self, encodedRecords: records.map { $0.protobuf() })
    }

    /// Encodes a page whose records are encoded already. The records of `page` itself are ignored.
    package static func protobuf(_ page: PullReply, encodedRecords: [[UInt8]]) -> [UInt8] {
        var writer = ProtobufWriter(capacity: encodedRecords.reduce(96 + 24 * page.purged.count) { $0 + $1.count + 4 })
        for record in encodedRecords { writer.writeBytes(1, record) }
        writer.writeBytes(2, page.checkpoint.bytes)
        if page.hasMore { writer.writeVarint(3, 1) }
        if let digest = page.digest { writer.writeBytes(4, digest.bytes) }
        writer.writeVarint(5, UInt64(page.schemaVersion))
        writer.writeVarint(6, page.serverTime)
        for key in page.purged { writer.writeBytes(7, key.protobuf()) }
        return writer.bytes
    }

    package init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        try self.init(protobuf: bytes) { (error) throws(CodingError) in throw error }
    }

    /// Reads a page. A record that is not a valid `Record` message may be skipped.
    ///
    /// - Parameter unreadable: Called for each invalid record. It throws to refuse the page.
    package init(
        protobuf bytes: UnsafeRawBufferPointer, unreadable: (CodingError) throws(CodingError) -> Void
    ) throws(CodingError) {
        var records: [RecordState] = []
        try self.init(protobuf: bytes) { (record: UnsafeRawBufferPointer) throws(CodingError) in
            do throws(CodingError) {
                records.append(try RecordState(protobuf: record))
            } catch {
                try unreadable(error)
            }
        }
        self.records = records
    }

    /// Reads all of a page but its records.
    ///
    /// - Parameter record: Called with each `Record` message.
    init(
        protobuf bytes: UnsafeRawBufferPointer, record: (UnsafeRawBufferPointer) throws(CodingError) -> Void
    ) throws(CodingError) {
        self.init(
            records: [], checkpoint: Checkpoint(bytes: []), hasMore: false, digest: nil, schemaVersion: 0, serverTime: 0
        )
        var reader = FieldReader(bytes, of: "PullReply")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): try record(bytes)
            case (2, .bytes(let bytes)): checkpoint = try reader.checkpoint(bytes) ?? checkpoint
            case (3, .varint(let flag)): hasMore = flag != 0
            case (4, .bytes(let bytes)) where !bytes.isEmpty:
                guard let read = ScopeDigest(bytes: bytes) else {
                    throw CodingError("The digest has \(bytes.count) bytes, expected 16.")
                }
                digest = read
            case (5, .varint(let number)): schemaVersion = Int(clamping: number)
            case (6, .varint(let time)): serverTime = time
            case (7, .bytes(let bytes)): purged.append(try RecordKey(protobuf: bytes))
            default: break
            }
        }
        guard !checkpoint.bytes.isEmpty else { throw CodingError("The reply has no checkpoint.") }
    }

    package func json(_ names: RecordJSON) throws(CodingError) -> JSONValue {
        var items: [JSONValue] = []
        for record in records { items.append(try record.json(names)) }
        let gone = purged.map { $0.json(names) }
        return .members(
            ("purged", gone.isEmpty ? nil : .array(gone)), ("records", .array(items)),
            ("checkpoint", .string(checkpoint.description)),
            ("hasMore", .boolean(hasMore)), ("digest", digest.map { .string($0.description) }),
            ("schemaVersion", .integer(schemaVersion)), ("serverTime", .integer(serverTime)))
    }

    package init(json value: JSONValue, _ names: RecordJSON) throws(CodingError) {
        let body = try MemberReader(value, at: "The reply")
        self.init(
            records: [],
            checkpoint: try body.value("checkpoint", "a checkpoint") { $0.stringValue.flatMap { Checkpoint($0) } },
            hasMore: try body.value("hasMore", "true or false") { $0.booleanValue },
            digest: try body.optional("digest", "32 hexadecimal digits") { $0.stringValue.flatMap { ScopeDigest($0) } },
            schemaVersion: Int(clamping: try body.number("schemaVersion")), serverTime: try body.number("serverTime"))
        for item in try body.list("records") { records.append(try RecordState(json: item, names)) }
        for item in try body.optional("purged", "an array", { $0.arrayValue }) ?? [] {
            purged.append(try MemberReader(item, at: "A purged record").key(names))
        }
    }
}
