internal import RoostModel

/// The XML form of a document, version 1.
///
///     <?xml version="1.0" encoding="UTF-8"?>
///     <roost-document format="1">
///     <schema>{"format": 1, …}</schema>
///     <record entity="Book" id="0192…">
///     <string name="title">Candide</string>
///     <number name="pages">120</number>
///     </record>
///     </roost-document>
///
/// The schema is the text of its file. A record holds an element for each property of its content, in the form that protocol.md
/// gives it in JSON: `string` (also days, instants, identifiers and references), `number`, `boolean`, `null`, and `json` for JSON
/// text. A string that XML cannot represent is marked `encoding="base64"`.
///
/// A record whose elements do not express all of its content has an additional element `put` with the complete content, as a
/// `Put` message in Base64. A reader ignores unknown elements and attributes, and rejects other versions.
enum XMLDocument {
    static let version = "1"

    /// Encodes a document.
    ///
    /// - Throws: ``ObjectError`` with the code `store` for a record whose content cannot be read.
    static func encode(_ contents: DocumentContents) throws -> [UInt8] {
        let json = RecordJSON(contents.schema)
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<roost-document format=\"\(version)\">\n"
        text += element("schema", [], contents.schema.source) + "\n"
        for (key, put) in contents.records {
            text += "<record entity=\"\(escaped(json.name(of: key.entity)))\" id=\"\(key.id)\">\n"
            do {
                let texts = try json.texts(put, of: key.entity)
                for member in json.exactObject(put, of: key.entity, texts: texts).members ?? [] {
                    text += property(member, texts[member.name]) + "\n"
                }
            } catch {
                throw ObjectError(
                    .store, "Cannot write \(json.name(of: key.entity)) \(key.id): its content cannot be read.")
            }
            text += "</record>\n"
        }
        return Array((text + "</roost-document>\n").utf8)
    }

    /// Encodes one property.
    ///
    /// - Parameter text: The text of a JSON attribute; `nil` for other properties.
    private static func property(_ member: JSONValue.Member, _ text: String?) -> String {
        if member.name == RecordJSON.original { return element("put", [], member.value.stringValue ?? "") }
        let name = [("name", member.name)]
        if let text { return element("json", name, text) }
        return switch member.value {
        case .null: element("null", name, "")
        case .boolean(let flag): element("boolean", name, String(flag))
        case .number(let digits): element("number", name, digits)
        case .string(let text): element("string", name, text)
        case .array, .object: element("json", name, member.value.text)
        }
    }

    private static func element(_ tag: String, _ attributes: [(String, String)], _ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy(isAllowed)
        let attributes = isPlain ? attributes : attributes + [("encoding", "base64")]
        let content = isPlain ? escaped(text) : Base64.encode(Array(text.utf8))
        let list = attributes.map { " \($0.0)=\"\(escaped($0.1))\"" }.joined()
        return "<\(tag)\(list)>\(content)</\(tag)>"
    }

    /// Whether XML 1.0 can represent a character and return it unchanged. A carriage return is excluded, because parsers
    /// normalise line ends.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Decodes a document.
    ///
    /// - Throws: ``ObjectError`` with the code `store`; its message is the reason without the file's name.
    static func decode(_ bytes: [UInt8]) throws -> DocumentContents {
        let read = try XMLDocumentReader.read(bytes)
        let schema: Schema
        do {
            schema = try Schema(json: read.schema)
        } catch {
            throw damaged("its schema cannot be read (\(error))")
        }
        let json = RecordJSON(schema)
        let records = try read.records.map { record -> (key: RecordKey, put: [UInt8]) in
            guard let entity = json.entity(named: record.entity), let id = RecordID(record.id) else {
                throw damaged(
                    "the record \"\(record.entity)\" \"\(record.id)\" in line \(record.line) names no entity of its schema, or has no identifier"
                )
            }
            do throws(AttributeJSON.Mismatch) {
                return (
                    RecordKey(entity: entity, id: id),
                    try json.put(.object(record.members), of: entity, texts: record.texts)
                )
            } catch {
                throw damaged("the record in line \(record.line) does not fit its schema: \(error.reason)")
            }
        }
        return DocumentContents(schema: schema, records: records)
    }

    static func damaged(_ reason: String) -> ObjectError {
        ObjectError(.store, "\(reason). Correct the text, or take an older copy of it.")
    }
}
