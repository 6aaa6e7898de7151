public import RoostModel

/// One object of a context: a record with its unsaved edits.
///
/// A context has one object for each record. An object belongs to its context's isolation, as the context does; only its
/// ``objectID`` crosses to another. Attributes are in memory. The first access to a relationship reads it from the store, for up
/// to 500 objects of the fetch at once: this object and the objects that follow.
///
/// `roost generate swift` writes subclasses. ``ObjectContext/insert(_:id:into:)-(String,_,_)`` and fetches make objects.
open class ManagedObject {
    /// The name of the class's entity in the schema.
    open class var entityName: String { "" }
    /// The schema that the class was generated from, with which a coordinator compares the schema of each store. Generated classes
    /// have one; `nil` for a class that was written by hand.
    open class var schemaSource: (any SchemaSource.Type)? { nil }

    /// The identifier of the object in every context of the coordinator.
    public final let objectID: ObjectID
    final let layout: EntityDescription
    /// The context that the object belongs to.
    ///
    /// An object that the program holds longer than its context belongs to a context that continues it: relationships can be
    /// read, and the object cannot be changed. Changes that were not saved are lost.
    public final var context: ObjectContext? { owner }
    /// The context. A weak or strong reference would cost each object and each access. A context that ends gives its objects to
    /// one that continues it, or detaches them.
    private final unowned(unsafe) var owner: ObjectContext?

    /// The current values of the columns, with unsaved edits.
    final var values: [Value]
    /// The values of the columns in the store, as last read; `nil` while the object is new or has no edits.
    final var committed: [Value]?
    final var state: ObjectState {
        didSet {
            guard (oldValue == .deleted) != (state == .deleted) else { return }
            owner?.deletedCount += state == .deleted ? 1 : -1
        }
    }
    /// The relationships to several that were accessed.
    final var loadedRelationships: [PropertyID: LoadedRelationship] = [:]
    /// The batch with which the object was read; its relationships are read for the batch.
    final var companions: FetchBatch?
    /// The index of the object in ``companions``.
    final var place = 0
    /// The content with which an undo or undelete brought a deleted object back. Only later changes are written over the content
    /// that the store kept.
    final var broughtBack: [Value]?
    /// Whether the store may have a record, such as a deleted one, under the identifier of this new object.
    final var mayBeStored = false
    /// The rank of the object's first change in its context; a save writes objects in this order.
    final var changeOrder = 0

    /// Makes an object. Only contexts call it.
    public required init(_ registration: ObjectRegistration) {
        objectID = registration.objectID
        layout = registration.layout
        owner = registration.context
        values = registration.values
        state = registration.state
    }

    deinit { owner?.forget(self) }

    /// Detaches the object from its context, which ends, and releases everything that may refer back to the object.
    final func leaveContext() {
        owner = nil
        loadedRelationships = [:]
        companions?.release()
    }

    /// Joins the context that continues the object's ended context. Unsaved changes are discarded.
    final func enter(_ successor: ObjectContext) {
        if committed != nil || state != .unchanged { discardChanges(in: successor) }
        owner = successor
    }

    private func discardChanges(in successor: ObjectContext) {
        if hasChanges { successor.recordLoss(of: self) }
        if let committed { values = committed }
        committed = nil
        broughtBack = nil
        switch state {
        case .inserted: state = .gone
        case .deleted: state = .unchanged
        case .unchanged, .gone: break
        }
    }

    // MARK: For subclasses

    /// Called once, when the object was inserted. A subclass sets values here that no default can provide.
    open func awakeFromInsert() {}

    /// Called before a save for each object with changes; it may change this object and others.
    open func willSave() {}

    /// Checks conditions that the schema cannot express. Called for each inserted or changed object before it is saved.
    ///
    /// - Throws: An error whose description states the problem and its remedy. It becomes one of the save's problems.
    open func validate() throws {}
}

extension ManagedObject {
    /// The object's entity in the schema.
    public final var entity: Entity { layout.entity }

    /// Whether the object is new and not saved.
    public final var isInserted: Bool { state == .inserted }
    /// Whether the object has unsaved edits and is not new.
    public final var isUpdated: Bool { state == .unchanged && committed != nil && committed != values }
    /// Whether the object was deleted, with or without a save, or is hidden because of a delete.
    public final var isDeleted: Bool { state == .gone || context?.isGone(objectID) == true }
    /// Whether the object has anything to save.
    public final var hasChanges: Bool { isInserted || isUpdated || state == .deleted }

    /// The attributes and to-one relationships that differ from their values when last read or saved, with their current values.
    public final var changedValues: [String: Value] {
        guard let committed else {
            guard isInserted else { return [:] }
            return Dictionary(uniqueKeysWithValues: layout.columns.map { ($0.name, values[$0.index]) })
        }
        let changed = layout.columns.filter { values[$0.index] != committed[$0.index] }
        return Dictionary(uniqueKeysWithValues: changed.map { ($0.name, values[$0.index]) })
    }
}

extension ManagedObject: Hashable {
    /// Compares objects by identity.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
