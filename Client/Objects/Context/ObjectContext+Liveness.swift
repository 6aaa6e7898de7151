internal import RoostMerge
internal import RoostModel

extension ObjectContext {
    /// Returns the state of an object in the store and its reason, such as a parent that a deny rule keeps or a child that a
    /// cascade hides. Unsaved changes do not count.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where the state could not be read.
    public func liveness(of id: ObjectID) throws -> ObjectLiveness {
        func other(_ key: RecordKey) -> ObjectID { ObjectID(record: key.id, entity: key.entity, store: id.store) }
        switch try coordinator.store(id.store).backend.liveness(of: id.key) {
        case .visible: return .visible
        case .kept(let keepers): return .kept(by: keepers.map(other))
        case .hidden(let cause): return .hidden(because: other(cause))
        case .deleted: return .deleted
        case .absent: return .absent
        }
    }
}
