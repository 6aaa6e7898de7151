public import Replica

/// One store of a coordinator.
public final class ObjectStore: Sendable {
    /// The identifier of the store within its coordinator.
    public let id: StoreID
    let backend: any StoreBackend

    init(_ id: StoreID, _ backend: any StoreBackend) {
        self.id = id
        self.backend = backend
    }

    /// The replica of the store, for its synchronisation and journal; `nil` where the store is not a replica.
    public var replica: Replica? { (backend as? ReplicaBackend)?.replica }
}
