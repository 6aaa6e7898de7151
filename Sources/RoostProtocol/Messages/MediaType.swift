/// The two encodings of the messages that carry records.
package enum MediaType: String, Hashable, Sendable {
    /// `roost.proto`; the default between Roost's own parts.
    case protobuf = "application/x-protobuf"
    /// Plain JSON, records as objects under their schema's names.
    case json = "application/json"
}
