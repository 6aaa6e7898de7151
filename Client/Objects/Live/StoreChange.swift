/// Something that was written to a store of a coordinator.
public struct StoreChange: Hashable, Sendable {
    /// By whom.
    public enum Author: Hashable, Sendable {
        case context(ContextID)
        /// Another program of this device, or code of this process that does not use the coordinator.
        case otherProgram
        case synchronisation
    }

    /// What was written.
    public enum Extent: Hashable, Sendable {
        /// These records, and nothing else is visible or hidden because of them.
        case records(Set<ObjectID>)
        /// It is not known which.
        case unknown
    }

    public let author: Author
    public let extent: Extent
}
