/// The two encodings of messages that carry records.
package enum MediaType: String, Hashable, Sendable {
    /// `roost.proto`, the default between Roost's own programs.
    case protobuf = "application/x-protobuf"
    /// Plain JSON, with records as objects under their schema's names.
    case json = "application/json"
}
