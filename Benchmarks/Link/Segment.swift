/// Bytes in flight.
struct Segment {
    var bytes: [UInt8]
    /// The time of their arrival, if no earlier segment is missing.
    var arrival: ContinuousClock.Instant
    /// The number of later segments whose arrival shows that this one is missing; `nil` for a segment that is not lost.
    var followers: Int?

    /// Whether the segment is the end of the stream.
    var isEnd: Bool { bytes.isEmpty }
}
