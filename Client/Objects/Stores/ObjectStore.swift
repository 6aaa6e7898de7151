public import Replica

/// One store of a coordinator.
public final class ObjectStore: Sendable {
    /// Names the store among those of its coordinator.
    public let id: StoreID
    let backend: any StoreBackend

    init(_ id: StoreID, _ backend: any StoreBackend) {
        self.id = id
        self.backend = backend
    }

    /// The replica beneath, where the store is one: to synchronise it, and for its journal.
    public var replica: Replica? { (backend as? ReplicaBackend)?.replica }
}
