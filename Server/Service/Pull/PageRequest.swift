package import RoostProtocol

/// Which page a device asks for.
package struct PageRequest: Hashable, Sendable {
    /// The checkpoint that the page follows; `nil` for everything.
    package var since: Checkpoint?
    /// Bytes of records; `nil` for as much as a page may hold.
    package var bytesMax: Int?

    package init(since: Checkpoint?, bytesMax: Int? = nil) {
        self.since = since
        self.bytesMax = bytesMax
    }
}
