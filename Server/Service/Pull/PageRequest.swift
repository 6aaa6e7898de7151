package import RoostProtocol

/// Which page a device asks for.
package struct PageRequest: Hashable, Sendable {
    /// The checkpoint that the page follows; `nil` for everything.
    package var since: Checkpoint?
    /// Bytes of records; `nil` for as much as a page may hold.
    package var bytesMax: Int?
    /// Whether the device has not written the checkpoint down yet: it shows nothing of what has arrived.
    package var isAhead: Bool

    package init(since: Checkpoint?, bytesMax: Int? = nil, isAhead: Bool = false) {
        self.since = since
        self.bytesMax = bytesMax
        self.isAhead = isAhead
    }
}
