/// A write to a store of a coordinator.
public struct StoreChange: Hashable, Sendable {
    /// The author of a write.
    public enum Author: Hashable, Sendable {
        /// A context of this coordinator, by ``ObjectContext/id``.
        case context(ContextID)
        /// Another program of this device, or code of this process that does not use the coordinator.
        case otherProgram
        /// A pull from the server, by any program.
        case synchronisation
    }

    /// The records of a write.
    public enum Extent: Hashable, Sendable {
        /// Known records. The write neither shows nor hides any other record.
        case records(Set<ObjectID>)
        /// Unknown records.
        case unknown
    }

    /// The author of the write.
    public let author: Author
    /// The records of the write.
    public let extent: Extent
    /// The number of the change in the order of the coordinator's posts; 0 before it is posted.
    var number: UInt64 = 0

    init(author: Author, extent: Extent) {
        self.author = author
        self.extent = extent
    }
}
