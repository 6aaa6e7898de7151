package import RoostModel

/// The reason why a body is not the expected message.
package struct CodingError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Cause: Hashable, Sendable {
        case malformed
        /// The message has more items than a limit allows.
        case tooMany
    }

    /// The fault: what was found where, and what was expected.
    package var reason: String
    package var cause: Cause

    package init(_ reason: String, _ cause: Cause = .malformed) {
        self.reason = reason
        self.cause = cause
    }

    package var description: String { reason }
}

/// A message that travels in either encoding.
package protocol Message: Sendable, ProtobufDecodable where DecodingFailure == CodingError {
    /// Encodes the message as `roost.proto` defines it.
    func protobuf() -> [UInt8]
    /// Encodes the message as JSON, with records under the names of a schema.
    func json(_ names: RecordJSON) throws(CodingError) -> JSONValue
    init(json value: JSONValue, _ names: RecordJSON) throws(CodingError)
}

extension Message {
    /// The maximum nesting of a body: the 64 levels of a `json` attribute, and the six levels around it.
    private static var depthMax: Int { 70 }

    package func encoded(as type: MediaType, _ names: RecordJSON) throws(CodingError) -> [UInt8] {
        switch type {
        case .protobuf: protobuf()
        case .json: try json(names).encoded
        }
    }

    package init(_ bytes: [UInt8], as type: MediaType, _ names: RecordJSON) throws(CodingError) {
        switch type {
        case .protobuf: try self.init(protobuf: bytes)
        case .json: try self.init(json: try Self.value(bytes), names)
        }
    }

    static func value(_ bytes: [UInt8]) throws(CodingError) -> JSONValue {
        do {
            return try JSONParser.parse(bytes, depthMax: depthMax)
        } catch {
            throw CodingError("The body is not JSON: \(error)")
        }
    }
}

/// A ``ProtobufReader`` whose errors name the message.
struct FieldReader {
    private var reader: ProtobufReader
    private let message: String

    init(_ bytes: UnsafeRawBufferPointer, of message: String) {
        reader = ProtobufReader(bytes)
        self.message = message
    }

    /// The number of bytes read.
    var position: Int { reader.position }

    mutating func next() throws(CodingError) -> (number: Int, value: ProtobufReader.Value)? {
        do {
            return try reader.next()
        } catch {
            throw CodingError("The body is not the message \(message) of roost.proto.")
        }
    }

    /// Reads a stamp. Empty bytes count as a missing stamp.
    func stamp(_ bytes: UnsafeRawBufferPointer) throws(CodingError) -> HybridTimestamp? {
        if bytes.isEmpty { return nil }
        guard let stamp = HybridTimestamp(bytes: bytes) else {
            throw CodingError("A stamp of \(message) has \(bytes.count) bytes, expected 16.")
        }
        return stamp
    }

    /// Reads a checkpoint. Empty bytes count as a missing checkpoint.
    func checkpoint(_ bytes: UnsafeRawBufferPointer) throws(CodingError) -> Checkpoint? {
        if bytes.isEmpty { return nil }
        guard bytes.count <= Checkpoint.bytesMax else {
            throw CodingError(
                "The checkpoint of \(message) has \(bytes.count) bytes, expected at most \(Checkpoint.bytesMax).")
        }
        return Checkpoint(bytes: Array(bytes))
    }
}

/// Members of a JSON object, with errors that name them.
struct MemberReader {
    let object: JSONValue
    let path: String

    init(_ object: JSONValue, at path: String) throws(CodingError) {
        guard object.members != nil else { throw CodingError("\(path) is \(object.kindName), expected an object.") }
        self.object = object
        self.path = path
    }

    func value<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(CodingError) -> Value {
        guard let value = try optional(name, expected, read) else {
            throw CodingError("\(path) has no \"\(name)\", expected \(expected).")
        }
        return value
    }

    func optional<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(CodingError) -> Value? {
        guard let member = member(name) else { return nil }
        guard let value = read(member) else {
            throw CodingError("\(path), \"\(name)\" is \(member.kindName), expected \(expected).")
        }
        return value
    }

    /// Returns a member that exists and is not null.
    func member(_ name: String) -> JSONValue? { object[name].flatMap { $0 == .null ? nil : $0 } }

    /// Reads an array. A missing one is empty (protocol.md §5.6).
    func list(_ name: String) throws(CodingError) -> [JSONValue] {
        try optional(name, "an array") { $0.arrayValue } ?? []
    }

    func text(_ name: String) throws(CodingError) -> String {
        try value(name, "a string") { $0.stringValue }
    }

    func number(_ name: String) throws(CodingError) -> UInt64 {
        try value(name, "a whole number from 0") { $0.integerValue.flatMap { UInt64(exactly: $0) } }
    }

    func stamp(_ name: String) throws(CodingError) -> HybridTimestamp {
        try value(name, "a stamp of 32 hexadecimal digits") { $0.stringValue.flatMap { HybridTimestamp($0) } }
    }

    func optionalStamp(_ name: String) throws(CodingError) -> HybridTimestamp? {
        try optional(name, "a stamp of 32 hexadecimal digits") { $0.stringValue.flatMap { HybridTimestamp($0) } }
    }

    /// Reads the entity and the record identifier of an object.
    func key(_ names: RecordJSON) throws(CodingError) -> RecordKey {
        let name = try text("entity")
        guard let entity = names.entity(named: name) else {
            throw CodingError("\(path), \"entity\" is \"\(name)\", which the scope's schema does not have.")
        }
        let id: RecordID = try value("record", "a UUID of 36 characters") { $0.stringValue.flatMap { RecordID($0) } }
        return RecordKey(entity: entity, id: id)
    }
}

extension RecordJSON {
    func putBytes(_ object: JSONValue, of entity: EntityID, at path: String) throws(CodingError) -> [UInt8] {
        do {
            return try put(object, of: entity)
        } catch {
            throw CodingError("\(path), entity \"\(name(of: entity))\": \(error.reason). \(error.cure).")
        }
    }
}
