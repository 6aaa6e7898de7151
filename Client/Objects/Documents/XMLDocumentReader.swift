internal import Foundation
internal import FoundationXML
internal import RoostModel

/// A reader of the elements of an XML document. It rejects declarations of entities: Roost writes none, and they can name files
/// or expand without bound.
final class XMLDocumentReader: NSObject {
    struct Record {
        var entity: String
        var id: String
        let line: Int
        var members: [JSONValue.Member] = []
        /// The texts of JSON attributes by name, exactly as written.
        var texts: [String: String] = [:]
    }

    private(set) var schema = ""
    private(set) var records: [Record] = []
    private var failure: ObjectError?
    private var depth = 0
    private var isEnded = false
    /// The open element whose text is collected: the schema, or a property of a record.
    private var open: (tag: String, attributes: [String: String], depth: Int)?
    private var isInRecord = false
    private var text = ""

    /// Reads a document.
    ///
    /// - Throws: ``ObjectError`` with the code `store`; its message is the reason without the file's name.
    static func read(_ bytes: [UInt8]) throws -> XMLDocumentReader {
        // The search for declarations covers UTF-8 only; a zero byte would indicate another encoding.
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw XMLDocument.damaged("it is no UTF-8 text")
        }
        guard text.firstRange(of: "<!DOCTYPE") == nil, text.firstRange(of: "<!ENTITY") == nil else {
            throw XMLDocument.damaged("it declares a document type, which no document of ours does")
        }
        let reader = XMLDocumentReader()
        let parser = XMLParser(data: Data(bytes))
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        let isWhole = parser.parse()
        if let failure = reader.failure { throw failure }
        guard isWhole, reader.isEnded else {
            throw XMLDocument.damaged("it is no whole XML (line \(parser.lineNumber), column \(parser.columnNumber))")
        }
        return reader
    }

    private func stop(_ parser: XMLParser, _ error: ObjectError) {
        if failure == nil { failure = error }
        parser.abortParsing()
    }

    private func finish(_ tag: String, _ attributes: [String: String], _ parser: XMLParser) {
        var text = self.text
        if attributes["encoding"] == "base64" {
            guard let data = Data(base64Encoded: text), let decoded = String(validating: data, as: UTF8.self) else {
                return stop(parser, XMLDocument.damaged("the text in line \(parser.lineNumber) is no Base64 of text"))
            }
            text = decoded
        }
        if tag == "schema" {
            schema = text
        } else if tag == "put", !records.isEmpty {
            records[records.count - 1].members.append(.init(RecordJSON.original, .string(text)))
        } else if let value = value(tag, text), let name = attributes["name"], !records.isEmpty {
            records[records.count - 1].members.append(.init(name, value))
            if tag == "json" { records[records.count - 1].texts[name] = text }
        } else if Self.valueTags.contains(tag) {
            stop(parser, XMLDocument.damaged("the \"\(tag)\" in line \(parser.lineNumber) has no name, or is none"))
        }
    }

    private static let valueTags: Set<String> = ["string", "number", "boolean", "null", "json"]

    private func value(_ tag: String, _ text: String) -> JSONValue? {
        switch tag {
        case "string": .string(text)
        case "number": if case .number(let digits)? = try? JSONParser.parse(text) { .number(digits) } else { nil }
        case "boolean": text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
        case "null": .null
        // The text is always kept. JSON with a repeated name has no value, so a string of its text replaces the value.
        case "json":
            JSONText.fault(in: text) == nil
                ? (try? JSONParser.parse(text, depthMax: JSONText.depthMax)) ?? .string(text) : nil
        default: nil
        }
    }
}

extension XMLDocumentReader: XMLParserDelegate {
    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        depth += 1
        if open == nil { text = "" }
        switch (depth, element) {
        case (1, "roost-document"):
            guard attributes["format"] != XMLDocument.version else { return }
            stop(
                parser,
                ObjectError(
                    .store,
                    "its format is \(attributes["format"] ?? "not said"), this Roost reads \(XMLDocument.version). Update Roost."
                ))
        case (1, _): stop(parser, XMLDocument.damaged("it is no Roost document: its root element is \"\(element)\""))
        case (2, "record"):
            isInRecord = true
            records.append(
                Record(entity: attributes["entity"] ?? "", id: attributes["id"] ?? "", line: parser.lineNumber))
        case (2, "schema"): open = (element, attributes, depth)
        case (3, _) where isInRecord: open = (element, attributes, depth)
        // Unknown elements are ignored, also inside known ones.
        default: break
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
        if let open, depth == open.depth {
            finish(open.tag, open.attributes, parser)
            self.open = nil
        }
        if depth == 2 { isInRecord = false }
        depth -= 1
        isEnded = depth == 0
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) {
        if open?.depth == depth { text += characters }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        if open?.depth == depth { text += String(decoding: block, as: UTF8.self) }
    }
}
