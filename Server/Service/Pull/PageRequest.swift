package import RoostProtocol

/// A request of a device for a page.
package struct PageRequest: Hashable, Sendable {
    /// The checkpoint that the page follows; `nil` for all data.
    package var since: Checkpoint?
    /// The maximum bytes of records; `nil` for the maximum of a page.
    package var bytesMax: Int?
    /// Whether the device has not stored the checkpoint yet, so that the checkpoint does not prove which data has arrived.
    package var isAhead: Bool
    /// Whether the device accepts a page that has identifiers of purged records, no record, and another page after it.
    /// Clients that do not ask for this reject such a page.
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
