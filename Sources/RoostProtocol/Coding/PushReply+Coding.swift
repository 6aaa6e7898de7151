package import RoostModel

extension PushReply: Message {
    package func protobuf() -> [UInt8] {
        var writer = ProtobufWriter(capacity: 64)
        writer.writeVarint(1, number)
        for result in results { writer.writeBytes(2, result.protobuf()) }
        for record in current { writer.writeBytes(3, record.protobuf()) }
        writer.writeVarint(4, serverTime)
        if let page { writer.writeBytes(5, page.protobuf()) }
        return writer.bytes
    }

    /// Adds an encoded page to an encoded reply.
    package static func protobuf(_ reply: [UInt8], page: [UInt8]) -> [UInt8] {
        var writer = ProtobufWriter(capacity: reply.count + page.count + 8)
        writer.writeBytes(5, page)
        // The order of fields has no meaning.
        return writer.bytes + reply
    }

    package init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        self.init(number: 0, results: [], serverTime: 0)
        var reader = FieldReader(bytes, of: "PushReply")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): self.number = number
            case (2, .bytes(let bytes)): results.append(try Result(protobuf: bytes))
            case (3, .bytes(let bytes)): current.append(try RecordState(protobuf: bytes))
            case (4, .varint(let time)): serverTime = time
            case (5, .bytes(let bytes)): page = try PullReply(protobuf: bytes)
            default: break
            }
        }
    }

    package func json(_ names: RecordJSON) throws(CodingError) -> JSONValue {
        var states: [JSONValue] = []
        for record in current { states.append(try record.json(names)) }
        return .members(
            ("number", .integer(number)), ("results", .array(results.map { $0.json })),
            ("current", states.isEmpty ? nil : .array(states)), ("serverTime", .integer(serverTime)),
            ("page", try page?.json(names)))
    }

    package init(json value: JSONValue, _ names: RecordJSON) throws(CodingError) {
        let body = try MemberReader(value, at: "The reply")
        self.init(number: try body.number("number"), results: [], serverTime: try body.number("serverTime"))
        for item in try body.list("results") { results.append(try Result(json: item)) }
        for item in try body.optional("current", "an array", { $0.arrayValue }) ?? [] {
            current.append(try RecordState(json: item, names))
        }
        page = try body.member("page").map { value throws(CodingError) in try PullReply(json: value, names) }
    }
}

extension PushReply.Result {
    fileprivate func protobuf() -> [UInt8] {
        var writer = ProtobufWriter(capacity: 16)
        switch self {
        case .accepted(let sequence, let outcomes):
            writer.writeVarint(1, sequence)
            for outcome in outcomes {
                writer.writeMessage(2) { inner in
                    inner.writeVarint(1, UInt64(clamping: outcome.index))
                    inner.writeVarint(2, outcome.kind.rawValue)
                    inner.writeBytes(3, outcome.other.bytes)
                }
            }
        case .staged: writer.writeVarint(3, 1)
        case .refused(let refusal):
            writer.writeMessage(4) { inner in
                inner.writeBytes(1, refusal.code.rawValue.utf8)
                inner.writeBytes(2, refusal.message.utf8)
                // The index plus one, so that 0 means none.
                if let index = refusal.index { inner.writeVarint(3, UInt64(clamping: index) + 1) }
            }
        }
        return writer.bytes
    }

    fileprivate init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        var sequence: UInt64 = 0
        var outcomes: [PushReply.Outcome] = []
        var reader = FieldReader(bytes, of: "Result")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): sequence = number
            case (2, .bytes(let bytes)): outcomes.append(try PushReply.Outcome(protobuf: bytes))
            case (3, .varint(let flag)) where flag != 0:
                self = .staged
                return
            case (4, .bytes(let bytes)):
                self = .refused(try PushReply.Refusal(protobuf: bytes))
                return
            default: break
            }
        }
        self = .accepted(sequence: sequence, outcomes: outcomes)
    }

    fileprivate var json: JSONValue {
        switch self {
        case .accepted(let sequence, let outcomes):
            let items = outcomes.map { outcome in
                JSONValue.members(
                    ("index", .integer(outcome.index)),
                    ("kind", .string(outcome.kind.name)),
                    ("other", .string(outcome.other.description)))
            }
            return .members(
                ("sequence", .integer(sequence)), ("outcomes", items.isEmpty ? nil : .array(items)))
        case .staged: return .members(("staged", .boolean(true)))
        case .refused(let refusal):
            return .members(
                (
                    "refused",
                    .members(
                        ("code", .string(refusal.code.rawValue)), ("message", .string(refusal.message)),
                        ("index", refusal.index.map { .integer($0) }))
                ))
        }
    }

    fileprivate init(json value: JSONValue) throws(CodingError) {
        let reader = try MemberReader(value, at: "A result")
        if try reader.optional("staged", "true", { $0.booleanValue }) == true {
            self = .staged
        } else if let refused = reader.member("refused") {
            let inner = try MemberReader(refused, at: "\"refused\"")
            let index = try inner.optional("index", "a whole number") {
                $0.integerValue.flatMap { $0 < 0 ? nil : Int(exactly: $0) }
            }
            self = .refused(
                .init(
                    code: ErrorCode(rawValue: try inner.text("code")), message: try inner.text("message"), index: index)
            )
        } else {
            var outcomes: [PushReply.Outcome] = []
            for item in try reader.optional("outcomes", "an array", { $0.arrayValue }) ?? [] {
                let inner = try MemberReader(item, at: "An outcome")
                outcomes.append(
                    .init(
                        index: Int(clamping: try inner.number("index")),
                        kind: try inner.value("kind", "\"beaten\" or \"replaced\"") {
                            PushReply.Outcome.Kind(name: $0.stringValue)
                        },
                        other: try inner.stamp("other")))
            }
            self = .accepted(sequence: try reader.number("sequence"), outcomes: outcomes)
        }
    }
}

extension PushReply.Outcome.Kind {
    fileprivate var name: String {
        switch self {
        case .beaten: "beaten"
        case .replaced: "replaced"
        }
    }

    fileprivate init?(name: String?) {
        switch name {
        case "beaten": self = .beaten
        case "replaced": self = .replaced
        default: return nil
        }
    }
}

extension PushReply.Outcome {
    fileprivate init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        var index: UInt64 = 0
        var kind: Kind?
        var other: HybridTimestamp?
        var reader = FieldReader(bytes, of: "Outcome")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): index = number
            case (2, .varint(let number)): kind = Kind(rawValue: number)
            case (3, .bytes(let bytes)): other = try reader.stamp(bytes)
            default: break
            }
        }
        guard let kind, let other else { throw CodingError("An Outcome needs a kind and the other stamp.") }
        self.init(index: Int(clamping: index), kind: kind, other: other)
    }
}

extension PushReply.Refusal {
    fileprivate init(protobuf bytes: UnsafeRawBufferPointer) throws(CodingError) {
        self.init(code: .internalError, message: "")
        var reader = FieldReader(bytes, of: "Refusal")
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): code = ErrorCode(rawValue: String(decoding: bytes, as: UTF8.self))
            case (2, .bytes(let bytes)): message = String(decoding: bytes, as: UTF8.self)
            case (3, .varint(let number)): index = number > 0 ? Int(clamping: number - 1) : nil
            default: break
            }
        }
    }
}
