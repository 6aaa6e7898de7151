/// Something that was written to a store of a coordinator.
public struct StoreChange: Hashable, Sendable {
    /// By whom.
    public enum Author: Hashable, Sendable {
        /// A context of this coordinator, by ``ObjectContext/id``.
        case context(ContextID)
        /// Another program of this device, or code of this process that does not use the coordinator.
        case otherProgram
        /// What was pulled from the server, by whatever program.
        case synchronisation
    }

    /// What was written.
    public enum Extent: Hashable, Sendable {
        /// These records, and nothing else is visible or hidden because of them.
        case records(Set<ObjectID>)
        /// It is not known which.
        case unknown
    }

    /// Who wrote it.
    public let author: Author
    /// Which records it is about.
    public let extent: Extent
    /// Counts what the coordinator has told; 0 before it does.
    var number: UInt64 = 0

    init(author: Author, extent: Extent) {
        self.author = author
        self.extent = extent
    }
}
