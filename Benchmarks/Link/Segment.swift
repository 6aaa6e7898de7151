/// Bytes on their way.
struct Segment {
    var bytes: [UInt8]
    /// When they arrive, if nothing before them is missing.
    var arrival: ContinuousClock.Instant
    /// How many later segments have told the receiver that this one is missing; `nil` for one that is not.
    var followers: Int?

    /// The end of the stream.
    var isEnd: Bool { bytes.isEmpty }
}
