internal import RoostModel

/// A scratchpad over the stores of a coordinator: objects are fetched, made, changed and deleted in it, and nothing of that
/// reaches a store before ``save(_:)``.
///
/// A context and its objects stay in one isolation: the compiler sees to it, for neither is `Sendable`. Use one in each actor or
/// task that needs objects, and send an ``ObjectID`` to speak of an object elsewhere. It keeps objects with unsaved changes
/// alive; others live as long as somebody holds them, or holds objects that were fetched with them.
public final class ObjectContext {
    /// Where the objects are.
    public let coordinator: StoreCoordinator
    /// The context that a save goes to instead of the stores, if any.
    public let parent: ObjectContext?
    /// What happens to unsaved edits of a record that somebody else changed; ``MergePolicy/keepMine`` unless set.
    public var mergePolicy = MergePolicy.keepMine
    /// Names the context in ``StoreChange``.
    public let id: ContextID

    /// What can be undone; `nil` unless set, and then nothing is kept for it.
    public var undoHistory: UndoHistory?

    /// Every object of the context that is alive. Objects leave it themselves when they end, so none is ever dangling: both
    /// stay in one isolation.
    private var registered = ObjectTable()
    /// The objects with something to save: new, edited or deleted ones.
    private(set) var changed: [ObjectID: ManagedObject] = [:]
    /// How many objects were deleted themselves and not saved.
    var deletedCount = 0
    /// What is hidden by deletes that are not saved, with the deleted object that is the reason.
    var hidden: [ObjectID: ObjectID] = [:]
    /// Records that the store does not show, or shows otherwise, until this context has saved what it brings back.
    var returning: [ObjectID: [Value]] = [:]
    /// Changes when relationships may have changed in a way that is not followed: what was read of them is read anew.
    private(set) var generation = 0
    /// Whether a relationship to several was read in this generation.
    var hasLoadedRelationships = false
    /// References that were looked up and found to name nothing, in this generation.
    var danglingReferences: Set<ObjectID> = []
    /// A failure of something that could not throw; the next save throws it.
    public internal(set) var failure: ObjectError?
    /// The live results of the context.
    var results: [WeakResults] = []
    /// Whether rows of one of them may not be read yet.
    var hasUnreadResults = false
    /// What may have changed since it was delivered to them.
    var undelivered = StoreChange.Extent.records([])
    /// By whom.
    var undeliveredOrigins: Set<ChangeOrigin> = []
    /// The number of the last change of others that was taken in.
    var takenNumber: UInt64 = 0
    /// Whoever takes changes in.
    weak var follower: ContextFollower?
    /// How often a store was read for this context; for tests of what a list costs.
    package var readCount = 0
    private var changeCount = 0
    /// How often an object was about to change.
    private(set) var noteCount = 0
    /// The identifier that a new object got last.
    var lastRecordID: RecordID?

    var model: ObjectModel { coordinator.model }

    /// Makes a context whose saves go to the stores.
    public init(_ coordinator: StoreCoordinator) {
        self.coordinator = coordinator
        id = coordinator.hub.nextContext()
        parent = nil
    }

    /// Makes a context whose saves go to another context, in the same isolation: edits that may be given up as a whole, such as
    /// those of a form.
    public init(childOf parent: ObjectContext) {
        coordinator = parent.coordinator
        id = coordinator.hub.nextContext()
        self.parent = parent
        mergePolicy = parent.mergePolicy
    }

    deinit {
        let objects = registered.objects
        for object in objects { object.leaveContext() }
        // Objects that hold each other through relationships would keep each other alive.
        for object in objects { object.detach() }
    }

    // MARK: What is there

    /// Whether there is anything to save.
    public var hasChanges: Bool { changed.values.contains { $0.hasChanges } }
    /// The new objects, in the order in which they were made.
    public var insertedObjects: [ManagedObject] { inOrder { $0.isInserted && !isGone($0.objectID) } }
    /// The objects with unsaved edits, in the order of their first edits.
    public var updatedObjects: [ManagedObject] { inOrder { $0.isUpdated && !isGone($0.objectID) } }
    /// The objects that were deleted themselves and not saved, in the order of their deletes.
    public var deletedObjects: [ManagedObject] { inOrder { $0.state == .deleted } }

    private func inOrder(_ isWanted: (ManagedObject) -> Bool) -> [ManagedObject] {
        changed.values.filter { isWanted($0) && !$0.layout.isLink }.sorted { $0.changeOrder < $1.changeOrder }
    }

    /// Everything that a save writes, links too, in the order in which it was changed.
    var changedObjects: [ManagedObject] {
        changed.values.filter(\.hasChanges).sorted { $0.changeOrder < $1.changeOrder }
    }

    /// Whether an object is deleted, or hidden by a delete, as far as this context knows.
    func isGone(_ id: ObjectID) -> Bool {
        if hidden[id] != nil { return true }
        guard let object = changed[id] else { return parent?.isGone(id) ?? false }
        return object.state == .deleted
    }

    /// The object of an identifier where it is alive in this context, whatever its state.
    func registeredObject(_ id: ObjectID) -> ManagedObject? { registered[id] }

    /// How many objects are alive; for tests of what a list keeps.
    package var registeredCount: Int { registeredObjects.count }

    var registeredObjects: [ManagedObject] { registered.objects }

    // MARK: Keeping track

    /// Makes the one object of a record. There must be none.
    func register(_ id: ObjectID, _ layout: EntityDescription, _ values: [Value], _ state: ObjectState) -> ManagedObject
    {
        let registration = ObjectRegistration(
            objectID: id, layout: layout, context: self, values: values, state: state)
        let object = model.type(of: id.entity).init(registration)
        registered.insert(object)
        return object
    }

    /// Called by an object that ends.
    func forget(_ object: ManagedObject) { registered.remove(object) }

    /// Called before an object changes.
    func noteChange(of object: ManagedObject) {
        noteUndelivered(object.objectID)
        noteCount += 1
        if object.state == .unchanged, object.committed == nil { object.committed = object.values }
        guard changed.updateValue(object, forKey: object.objectID) == nil else { return }
        changeCount += 1
        object.changeOrder = changeCount
    }

    /// Called when an object has nothing to save any more.
    func noteNoChange(of object: ManagedObject) {
        noteUndelivered(object.objectID)
        forgetEdits(of: object)
    }

    /// As ``noteNoChange(of:)``, for an object that shows what it showed, or whose change is told otherwise.
    func forgetEdits(of object: ManagedObject) {
        changed[object.objectID] = nil
        object.committed = nil
        object.broughtBack = nil
    }

    /// Lets all relationships be read anew when they are asked for.
    func forgetRelationships() {
        generation += 1
        hasLoadedRelationships = false
        danglingReferences = []
    }
}

extension ManagedObject {
    /// Lets go of everything that may hold this object in turn.
    final func detach() {
        loadedRelationships = [:]
        companions = nil
    }
}
