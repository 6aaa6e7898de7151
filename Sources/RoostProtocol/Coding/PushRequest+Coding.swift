package import RoostModel

extension PushRequest: Message {
    package func protobuf() -> [UInt8] {
        var writer = ProtobufWriter(capacity: 128 * transactions.reduce(0) { $0 + $1.changes.count })
        writer.writeVarint(1, number)
        if let checkpoint { writer.writeBytes(2, checkpoint.bytes) }
        for transaction in transactions {
            writer.writeMessage(3) { inner in
                for change in transaction.changes { inner.writeBytes(1, change.protobuf()) }
                if transaction.continues { inner.writeVarint(2, 1) }
            }
        }
        return writer.bytes
    }

    package init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        try self.init(protobuf: bytes, PushCount())
    }

    /// Reads a push of an untrusted client. Reading stops at the first empty transaction, and at the first change beyond
    /// the limit.
    package init(
        _ bytes: [UInt8], as type: MediaType, _ names: RecordJSON, changesMax: Int
    ) throws(CodingError) {
        let count = PushCount(changesMax: changesMax)
        switch type {
        case .protobuf:
            self = try bytes.withBytes { (bytes) throws(CodingError) in try Self(protobuf: bytes, count) }
        case .json: try self.init(json: try Self.value(bytes), names, count)
        }
    }

    private init(protobuf bytes: UnsafeRawBufferPointer, _ count: PushCount) throws(CodingError) {
        self.init(number: 0, checkpoint: nil, transactions: [])
        var count = count
        var reader = FieldReader(bytes, of: "PushRequest")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): self.number = number
            case (2, .bytes(let bytes)): checkpoint = try reader.checkpoint(bytes)
            case (3, .bytes(let bytes)):
                let transaction = try Transaction(protobuf: bytes, &count)
                try count.end(transaction, at: transactions.count)
                transactions.append(transaction)
            default: break
            }
        }
    }

    package func json(_ names: RecordJSON) throws(CodingError) -> JSONValue {
        var items: [JSONValue] = []
        for transaction in transactions {
            var changes: [JSONValue] = []
            for change in transaction.changes { changes.append(try change.json(names)) }
            items.append(
                .members(
                    ("changes", .array(changes)), ("continues", transaction.continues ? .boolean(true) : nil)))
        }
        return .members(
            ("number", .integer(number)), ("checkpoint", checkpoint.map { .string($0.description) }),
            ("transactions", .array(items)))
    }

    package init(json value: JSONValue, _ names: RecordJSON) throws(CodingError) {
        try self.init(json: value, names, PushCount())
    }

    private init(json value: JSONValue, _ names: RecordJSON, _ count: PushCount) throws(CodingError) {
        var count = count
        let body = try MemberReader(value, at: "The body")
        self.init(
            number: try body.number("number"),
            checkpoint: try body.optional("checkpoint", "a checkpoint as pulled") {
                $0.stringValue.flatMap { Checkpoint($0) }
            }, transactions: [])
        for (index, item) in try body.list("transactions").enumerated() {
            let path = "Transaction \(index)"
            let reader = try MemberReader(item, at: path)
            var changes: [Change] = []
            for (place, change) in try reader.list("changes").enumerated() {
                try count.add()
                changes.append(try Change(json: change, names, at: "\(path), change \(place)"))
            }
            let continues = try reader.optional("continues", "true or false") { $0.booleanValue } ?? false
            let transaction = Transaction(changes: changes, continues: continues)
            try count.end(transaction, at: index)
            transactions.append(transaction)
        }
    }
}

/// A counter of the changes of a push while it is read. An empty transaction takes two bytes of a message and fifty bytes
/// of memory.
private struct PushCount {
    /// The limit; `nil` for a push of this program's own, which may have any number of changes and be empty.
    var changesMax: Int?
    private var changes = 0

    init(changesMax: Int? = nil) { self.changesMax = changesMax }

    /// Counts one more change, before it is read.
    mutating func add() throws(CodingError) {
        changes += 1
        guard let changesMax, changes > changesMax else { return }
        throw CodingError("it has more than \(changesMax) changes, which is the limit. Split it.", .tooMany)
    }

    func end(_ transaction: PushRequest.Transaction, at index: Int) throws(CodingError) {
        guard changesMax != nil, transaction.changes.isEmpty else { return }
        throw CodingError("transaction \(index) is empty. Leave it out.")
    }
}

extension PushRequest.Transaction {
    fileprivate init(protobuf bytes: UnsafeRawBufferPointer, _ count: inout PushCount) throws(CodingError) {
        self.init(changes: [])
        var reader = FieldReader(bytes, of: "Transaction")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)):
                try count.add()
                changes.append(try Change(protobuf: bytes))
            case (2, .varint(let flag)): continues = flag != 0
            default: break
            }
        }
    }
}

extension Change {
    fileprivate func protobuf() -> [UInt8] {
        var writer = ProtobufWriter(capacity: 192)
        writer.writeVarint(1, UInt64(key.entity.rawValue))
        writer.writeID(2, key.id)
        writer.writeBytes(3, stamp.bytes)
        switch kind {
        case .put(let encoded, let base):
            writer.writeBytes(4, encoded)
            if let base { writer.writeBytes(5, base.bytes) }
        case .delete: writer.writeVarint(6, 1)
        }
        return writer.bytes
    }

    fileprivate init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        var entity: UInt32?
        var id: RecordID?
        var stamp: HybridTimestamp?
        var put: [UInt8]?
        var base: HybridTimestamp?
        var isDelete = false
        var reader = FieldReader(bytes, of: "Change")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): entity = UInt32(exactly: number)
            case (2, .bytes(let bytes)): id = RecordID(bytes: bytes)
            case (3, .bytes(let bytes)): stamp = try reader.stamp(bytes)
            case (4, .bytes(let bytes)): put = Array(bytes)
            case (5, .bytes(let bytes)): base = try reader.stamp(bytes)
            case (6, .varint(let flag)): isDelete = flag != 0
            default: break
            }
        }
        guard let entity, entity > 0, let id, let stamp, isDelete == (put == nil) else {
            throw CodingError("A Change needs an entity, a record, a stamp, and either a put or a delete.")
        }
        self.init(
            key: RecordKey(entity: EntityID(entity), id: id), stamp: stamp,
            kind: put.map { .put($0, base: base) } ?? .delete)
    }

    fileprivate func json(_ names: RecordJSON) throws(CodingError) -> JSONValue {
        var put: JSONValue?
        var base: HybridTimestamp?
        if case .put(let encoded, let from) = kind {
            put = names.exactObject(encoded, of: key.entity)
            base = from
        }
        return .members(
            ("entity", .string(names.name(of: key.entity))), ("record", .string(key.id.description)),
            ("stamp", .string(stamp.description)), ("put", put), ("base", base.map { .string($0.description) }),
            ("delete", put == nil ? .boolean(true) : nil))
    }

    fileprivate init(json value: JSONValue, _ names: RecordJSON, at path: String) throws(CodingError) {
        let reader = try MemberReader(value, at: path)
        let key = try reader.key(names)
        let isDelete = try reader.optional("delete", "true") { $0.booleanValue } ?? false
        guard isDelete == (reader.member("put") == nil) else {
            throw CodingError("\(path) needs either \"put\" or \"delete\": true.")
        }
        var kind = Kind.delete
        if let put = reader.member("put") {
            kind = .put(
                try names.putBytes(put, of: key.entity, at: path), base: try reader.optionalStamp("base"))
        }
        self.init(key: key, stamp: try reader.stamp("stamp"), kind: kind)
    }
}
