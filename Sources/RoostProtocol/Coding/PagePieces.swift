package import RoostModel

/// The JSON form of a page, made in pieces while it is sent.
///
/// A page of 12 MiB may become 72 MiB of JSON. The pieces together are the bytes of ``PullReply/json(_:)``.
package struct PagePieces: Sendable {
    /// The page as Protocol Buffers.
    private let page: [UInt8]
    private let names: RecordJSON
    /// The text before the records; `nil` once a piece contains it.
    private var start: [UInt8]?
    /// The text after the records; `nil` once the last piece contains it.
    private var end: [UInt8]?
    /// The offset of the page's next field.
    private var position = 0
    private var isFirst = true

    /// The number of records of the page that could not be read. No piece contains them.
    package private(set) var unreadable = 0

    package init(protobuf page: [UInt8], _ names: RecordJSON) throws(CodingError) {
        let rest = try page.withBytes { (bytes) throws(CodingError) in
            try PullReply(protobuf: bytes) { (_: UnsafeRawBufferPointer) in }
        }
        let members = try rest.json(names).members ?? []
        let place = members.firstIndex { $0.name == "records" } ?? members.count
        start = Array(JSONValue.object(Array(members[..<place])).encoded.dropLast())
        end = Array("],".utf8) + JSONValue.object(Array(members.dropFirst(place + 1))).encoded.dropFirst()
        if place > 0 { start?.append(UInt8(ascii: ",")) }
        start?.append(contentsOf: #""records":["#.utf8)
        self.page = page
        self.names = names
    }

    /// Returns the next piece, of at least `bytesMin` bytes unless it is the last one; `nil` after the last one.
    package mutating func next(bytesMin: Int) throws(CodingError) -> [UInt8]? {
        guard let end else { return nil }
        var piece = start ?? []
        start = nil
        while piece.count < bytesMin {
            guard let record = try nextRecord() else {
                piece.append(contentsOf: end)
                self.end = nil
                return piece
            }
            if !isFirst { piece.append(UInt8(ascii: ",")) }
            isFirst = false
            piece.append(contentsOf: try record.json(names).encoded)
        }
        return piece
    }

    private mutating func nextRecord() throws(CodingError) -> RecordState? {
        while position < page.count {
            let start = position
            let (field, end) = try page.withBytes { (bytes) throws(CodingError) -> (Field, Int) in
                var reader = FieldReader(UnsafeRawBufferPointer(rebasing: bytes[start...]), of: "PullReply")
                guard let field = try reader.next(), case (1, .bytes(let message)) = (field.number, field.value) else {
                    return (.other, start + reader.position)
                }
                let record = try? RecordState(protobuf: message)
                return (record.map { .record($0) } ?? .unreadable, start + reader.position)
            }
            position = end
            switch field {
            case .record(let record): return record
            case .unreadable: unreadable += 1
            case .other: break
            }
        }
        return nil
    }

    private enum Field {
        case record(RecordState)
        case unreadable
        case other
    }
}
