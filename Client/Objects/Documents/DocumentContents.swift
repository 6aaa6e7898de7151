internal import RoostModel

/// What a document holds: its schema as text, and every visible record with its content as a `Put` message.
struct DocumentContents {
    var schema: Schema
    var records: [(key: RecordKey, put: [UInt8])]
}
