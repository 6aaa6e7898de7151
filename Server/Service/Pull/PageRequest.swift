package import RoostProtocol

/// Which page a device asks for.
package struct PageRequest: Hashable, Sendable {
    /// The checkpoint that the page follows; `nil` for everything.
    package var since: Checkpoint?
    /// Bytes of records; `nil` for as much as a page may hold.
    package var bytesMax: Int?
    /// Whether the device has not written the checkpoint down yet: it shows nothing of what has arrived.
    package var isAhead: Bool
    /// Whether the device accepts a page that has identifiers of purged records, no record, and another page after it. Clients
    /// that do not ask for this reject such a page.
    package var takesIdentifiersAlone: Bool

    package init(
        since: Checkpoint?, bytesMax: Int? = nil, isAhead: Bool = false, takesIdentifiersAlone: Bool = false
    ) {
        self.since = since
        self.bytesMax = bytesMax
        self.isAhead = isAhead
        self.takesIdentifiersAlone = takesIdentifiersAlone
    }
}
