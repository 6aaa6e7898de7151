public import RoostModel

/// One object of a context: a record with its unsaved edits.
///
/// A context has one object for each record. An object belongs to its context's isolation, as the context does; what crosses is
/// its ``objectID``. Attributes are in memory; a relationship is read from the store when it is first asked for, for the 500
/// objects that follow in the same fetch at once.
///
/// Subclasses are written by `roost generate swift`. Objects are made by ``ObjectContext/insert(_:id:into:)-(String,_,_)`` and fetches.
open class ManagedObject {
    /// The name of the class's entity in the schema.
    open class var entityName: String { "" }

    /// Names the object everywhere.
    public final let objectID: ObjectID
    final let layout: EntityDescription
    /// The context that the object belongs to; `nil` once the context is gone.
    public final var context: ObjectContext? { owner }
    /// Not weak, which would cost each object and each look at it: the context lets go of all its objects before it ends.
    private final unowned(unsafe) var owner: ObjectContext?

    /// The columns as they are now, with unsaved edits.
    final var values: [Value]
    /// The columns as the store has them, as far as known; `nil` while nothing is edited or the object is new.
    final var committed: [Value]?
    final var state: ObjectState {
        didSet {
            guard (oldValue == .deleted) != (state == .deleted) else { return }
            owner?.deletedCount += state == .deleted ? 1 : -1
        }
    }
    /// The objects at the other end of relationships to several, as far as they were asked for.
    final var loadedRelationships: [PropertyID: LoadedRelationship] = [:]
    /// What the object was fetched with: its relationships are read together with theirs.
    final var companions: FetchBatch?
    /// Its place among them.
    final var place = 0
    /// What an undo brought a deleted object back with: only what was changed after that is written over what the store kept.
    final var broughtBack: [Value]?
    /// Whether the store may have a record of a new object's identifier, such as a deleted one.
    final var mayBeStored = false
    /// The order in which objects of a context were first changed; they are written in it.
    final var changeOrder = 0

    /// Made by contexts only.
    public required init(_ registration: ObjectRegistration) {
        objectID = registration.objectID
        layout = registration.layout
        owner = registration.context
        values = registration.values
        state = registration.state
    }

    deinit { owner?.forget(self) }

    /// Called by a context that ends.
    final func leaveContext() { owner = nil }

    // MARK: For subclasses

    /// Called once, when the object was inserted: the place for values that no default can give.
    open func awakeFromInsert() {}

    /// Called before a save for each object with changes; it may change this object and others.
    open func willSave() {}

    /// Checks what the schema cannot say. Called for each inserted or changed object before it is saved.
    ///
    /// - Throws: An error whose description names what is wrong and the cure; it becomes one of the save's problems.
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
    /// Whether there is anything to save of it.
    public final var hasChanges: Bool { isInserted || isUpdated || state == .deleted }

    /// The attributes and to-one relationships that differ from what was read or saved last, with what they hold now.
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
    /// Objects are equal where they are the same object.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: CustomStringConvertible {
    /// The entity and the record; no values, for they are the user's.
    public var description: String { "\(layout.name) \(objectID.record)" }
}
