internal import RoostModel

/// The contents of a document: its schema as text, and each visible record with its content as a `Put` message.
struct DocumentContents {
    var schema: Schema
    var records: [(key: RecordKey, put: [UInt8])]
}
