internal import RoostModel

/// The binary form of a document, version 1.
///
/// It consists of the 8 bytes `RoostDoc`, one byte of version, a Protocol Buffers message, and the SHA-256 of all preceding
/// bytes. The fields of the message:
///
/// - 1: the text of the schema file.
/// - 2, repeated: a record. Its field 1 is the entity's number, 2 the identifier (16 bytes), 3 the content as a `Put` message
///   (`roost.proto`).
///
/// A reader ignores unknown fields, and rejects other versions.
enum BinaryDocument {
    static let magic = Array("RoostDoc".utf8)
    private static let version: UInt8 = 1
    private static let digestBytes = 32

    static func encode(_ contents: DocumentContents) -> [UInt8] {
        var writer = ProtobufWriter(capacity: contents.records.count * 64)
        writer.writeBytes(1, contents.schema.source.utf8)
        for (key, put) in contents.records {
            writer.writeMessage(2) { record in
                record.writeVarint(1, UInt64(key.entity.rawValue))
                record.writeBytes(2, key.id.bytes)
                record.writeBytes(3, put)
            }
        }
        let bytes = magic + [version] + writer.bytes
        return bytes + SHA256Digest.of(bytes)
    }

    /// Decodes a document.
    ///
    /// - Throws: ``ObjectError`` with the code `store`; its message is the reason without the file's name.
    static func decode(_ bytes: [UInt8]) throws -> DocumentContents {
        let start = magic.count + 1
        guard bytes.count >= start + digestBytes, bytes.starts(with: magic) else { throw damaged("it is cut short") }
        guard bytes[magic.count] == version else {
            throw ObjectError(
                .store,
                "its format is \(bytes[magic.count]), this Roost reads \(version). Update Roost.")
        }
        let body = bytes[..<(bytes.count - digestBytes)]
        guard SHA256Digest.of(Array(body)) == Array(bytes.suffix(digestBytes)) else {
            throw damaged("its checksum is wrong")
        }
        do {
            return try read(Array(body[start...]))
        } catch let error as SchemaError {
            throw damaged("its schema cannot be read (\(error))")
        } catch is ContentError {
            throw damaged("its records cannot be read")
        }
    }

    private static func read(_ message: [UInt8]) throws -> DocumentContents {
        var schema = ""
        var records: [(key: RecordKey, put: [UInt8])] = []
        try message.withBytes { bytes in
            var reader = ProtobufReader(bytes)
            while let field = try reader.next() {
                switch (field.number, field.value) {
                case (1, .bytes(let text)): schema = String(decoding: text, as: UTF8.self)
                case (2, .bytes(let record)): records.append(try readRecord(record))
                default: break
                }
            }
        }
        return DocumentContents(schema: try Schema(json: schema), records: records)
    }

    private static func readRecord(_ bytes: UnsafeRawBufferPointer) throws -> (key: RecordKey, put: [UInt8]) {
        var reader = ProtobufReader(bytes)
        var entity: UInt32?
        var id: RecordID?
        var put: [UInt8] = []
        while let field = try reader.next() {
            switch (field.number, field.value) {
            case (1, .varint(let number)): entity = UInt32(exactly: number)
            case (2, .bytes(let bytes)): id = RecordID(bytes: bytes)
            case (3, .bytes(let bytes)): put = Array(bytes)
            default: break
            }
        }
        guard let entity, let id else { throw ContentError.malformed }
        return (RecordKey(entity: EntityID(entity), id: id), put)
    }

    private static func damaged(_ reason: String) -> ObjectError {
        ObjectError(.store, "\(reason). Take an older copy of it.")
    }
}
