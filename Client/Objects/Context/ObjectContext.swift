internal import RoostModel

/// A scratchpad over the stores of a coordinator. Objects are fetched, made, changed and deleted in it, and no change reaches a
/// store before ``save(_:)``.
///
/// A context and its objects stay in one isolation; the compiler ensures it, because neither is `Sendable`. Use one context in
/// each actor or task that needs objects, and send an ``ObjectID`` to name an object elsewhere.
///
/// A context keeps objects with unsaved changes alive. Other objects live as long as the program holds them, or holds objects
/// that were fetched with them. Objects that the program holds longer than their context can still be read:
/// ``ManagedObject/context``.
public final class ObjectContext {
    /// The coordinator of the stores.
    public let coordinator: StoreCoordinator
    /// The context that receives a save instead of the stores, if any.
    public let parent: ObjectContext?
    /// The treatment of unsaved edits of a record that was changed elsewhere; ``MergePolicy/keepMine`` unless set.
    public var mergePolicy = MergePolicy.keepMine
    /// The identifier of the context in ``StoreChange``.
    public let id: ContextID

    /// Whether the context continues an ended one for objects that are still in use (decision 229). Nothing can be changed in it.
    let isReadOnly: Bool
    /// The context itself, while it is read-only and has objects: they do not keep it alive, and nobody else may.
    private var keeper: ObjectContext?

    /// The changes that can be undone; `nil` unless set, and then no history is kept.
    public var undoHistory: UndoHistory?

    /// Every object of the context that is alive. An object removes itself when it ends, so no reference dangles: both stay in
    /// one isolation.
    private var registered = ObjectTable()
    /// The objects with unsaved changes: new, edited or deleted ones.
    private(set) var changed: [ObjectID: ManagedObject] = [:]
    /// The number of objects that were deleted themselves and not saved.
    var deletedCount = 0
    /// The objects that unsaved deletes hide, each with the deleted object that is the reason.
    var hidden: [ObjectID: ObjectID] = [:]
    /// Records that the store hides, or shows with masked references, until this context has saved the records that it brings
    /// back.
    var returning: [ObjectID: [Value]] = [:]
    /// The references of the unsaved objects; `nil` before the first lookup since a save or rollback.
    var pendingReferences: PendingReferences?
    /// The generation of loaded relationships. It changes when relationships may have changed without an update of the loaded
    /// ones, which are then read again.
    private(set) var generation = 0
    /// Whether a relationship to several was read in this generation.
    var hasLoadedRelationships = false
    /// Targets of references that do not exist, as found in this generation.
    var danglingReferences: Set<ObjectID> = []
    /// The errors of operations that could not throw.
    var failures = Failures()
    /// The live results of the context.
    var results: [WeakResults] = []
    /// Whether live results may have unread rows.
    var hasUnreadResults = false
    /// The changes that are not delivered to live results yet.
    var undelivered = StoreChange.Extent.records([])
    /// The origins of the undelivered changes.
    var undeliveredOrigins: Set<ChangeOrigin> = []
    /// The number of the last change of others that was applied.
    var takenNumber: UInt64 = 0
    /// The follower that applies changes of others; `nil` where there is none.
    weak var follower: ContextFollower?
    /// The task that follows changes of others for the live results; `nil` without an isolation.
    var following: Task<Void, Never>?
    /// Token of the checks for writes of others, while the context has live results that were fetched.
    var checks: ChangeChecks?
    /// Whether changes are being delivered to live results.
    var isDelivering = false
    /// The number of times that the content of the context may have changed, for the lists of its children.
    var contentCount: UInt64 = 0
    /// The number of changes of the parents that was applied.
    var takenParentContentCount: UInt64 = 0
    /// The number of objects that got the current values of the store in a fetch.
    private(set) var renewedCount: UInt64 = 0
    /// The number of reads of a store for this context, for tests of the cost of a list.
    package var readCount = 0
    /// The number of unsaved records that were laid over a store for these reads, for tests of their cost.
    package var overlaidCount = 0
    private var changeCount = 0
    /// The number of times that an object was about to change.
    private(set) var recordCount = 0
    /// The identifier of the last new object.
    var lastRecordID: RecordID?

    var model: ObjectModel { coordinator.model }

    /// Makes a context whose saves go to the stores.
    public init(_ coordinator: StoreCoordinator) {
        self.coordinator = coordinator
        id = coordinator.hub.nextContext()
        parent = nil
        isReadOnly = false
    }

    /// Makes a context whose saves go to another context in one isolation: for edits that may be discarded as a whole, such as
    /// the edits of a form.
    public init(childOf parent: ObjectContext) {
        coordinator = parent.coordinator
        id = coordinator.hub.nextContext()
        self.parent = parent
        mergePolicy = parent.mergePolicy
        isReadOnly = false
    }

    /// Makes the context that continues an ended one.
    private init(_ coordinator: StoreCoordinator, _ parent: ObjectContext?, _ id: ContextID, _ mergePolicy: MergePolicy)
    {
        self.coordinator = coordinator
        self.parent = parent
        self.id = id
        self.mergePolicy = mergePolicy
        isReadOnly = true
    }

    deinit {
        following?.cancel()
        var objects = registered.objects
        guard !objects.isEmpty else { return }
        changed = [:]
        // Objects that refer to each other through relationships would keep each other alive.
        for object in objects { object.leaveContext() }
        var successor: ObjectContext?
        var ending: [Int] = []
        for index in objects.indices {
            if isKnownUniquelyReferenced(&objects[index]) {
                ending.append(index)
            } else {
                let context = successor ?? ObjectContext(coordinator, parent, id, mergePolicy)
                successor = context
                objects[index].enter(context)
            }
        }
        guard let successor else { return }
        swap(&successor.registered, &registered)
        for index in ending { successor.registered.remove(objects[index]) }
        successor.keeper = successor
    }

    // MARK: Contents

    /// Whether there is anything to save: unsaved changes, or, where saves go to the stores, a document that memory is ahead of. A
    /// document is behind memory when it was migrated as it was opened, or when it was saved while it had no file. Edits that were
    /// lost count (``failure``), so that a program that saves only where there are changes does not miss them.
    public var hasChanges: Bool {
        failures.hasLostEdits || changed.values.contains { $0.hasChanges }
            || parent == nil && coordinator.stores.contains { $0.backend.hasUnwrittenChanges }
    }
    /// The new objects, in the order in which they were made.
    public var insertedObjects: [ManagedObject] { inOrder { $0.isInserted && !isGone($0.objectID) } }
    /// The objects with unsaved edits, in the order of their first edits.
    public var updatedObjects: [ManagedObject] { inOrder { $0.isUpdated && !isGone($0.objectID) } }
    /// The objects that were deleted themselves and not saved, in the order of their deletes.
    public var deletedObjects: [ManagedObject] { inOrder { $0.state == .deleted } }

    private func inOrder(_ isWanted: (ManagedObject) -> Bool) -> [ManagedObject] {
        changed.values.filter { isWanted($0) && !$0.layout.isLink }.sorted { $0.changeOrder < $1.changeOrder }
    }

    /// All objects that a save writes, links included, in the order in which they were changed.
    var changedObjects: [ManagedObject] {
        changed.values.filter(\.hasChanges).sorted { $0.changeOrder < $1.changeOrder }
    }

    /// Whether an object is deleted, or hidden by a delete, in the unsaved changes of this context and its ancestors.
    func isGone(_ id: ObjectID) -> Bool {
        if hidden[id] != nil { return true }
        guard let object = changed[id] else { return parent?.isGone(id) ?? false }
        return object.state == .deleted
    }

    /// Returns the object of an identifier if it is alive in this context, whatever its state.
    func registeredObject(_ id: ObjectID) -> ManagedObject? { registered[id] }

    /// The number of objects that are alive, for tests of the objects that a list keeps.
    package var registeredCount: Int { registeredObjects.count }

    var registeredObjects: [ManagedObject] { registered.objects }

    // MARK: Keeping track

    /// Makes the only object of a record. There must be none yet.
    func register(_ id: ObjectID, _ layout: EntityDescription, _ values: [Value], _ state: ObjectState) -> ManagedObject
    {
        let registration = ObjectRegistration(
            objectID: id, layout: layout, context: self, values: values, state: state)
        let object = model.type(of: id.entity).init(registration)
        registered.insert(object)
        if isReadOnly { keeper = self }
        // References to the record lead to the object from now on.
        if !danglingReferences.isEmpty { danglingReferences.remove(id) }
        return object
    }

    /// Removes an object that ends. The object calls it.
    func forget(_ object: ManagedObject) {
        registered.remove(object)
        guard isReadOnly, registered.isEmpty else { return }
        // The context may end with this function.
        let last = keeper
        keeper = nil
        withExtendedLifetime(last) {}
    }

    /// Records that an object is about to change.
    func recordChange(of object: ManagedObject) {
        recordUndelivered(object.objectID)
        recordCount += 1
        pendingReferences?.noteChange(of: object.objectID)
        if object.state == .unchanged, object.committed == nil { object.committed = object.values }
        guard changed.updateValue(object, forKey: object.objectID) == nil else { return }
        changeCount += 1
        object.changeOrder = changeCount
    }

    /// Records that an object has nothing to save any more.
    func recordNoChange(of object: ManagedObject) {
        recordUndelivered(object.objectID)
        forgetEdits(of: object)
    }

    /// Discards the edits of an object as ``recordNoChange(of:)`` does, where its values stay or the change is delivered in another
    /// way.
    func forgetEdits(of object: ManagedObject) {
        changed[object.objectID] = nil
        object.committed = nil
        object.broughtBack = nil
    }

    /// Records that a fetch has given an object the current values of the store.
    func recordRenewal() { renewedCount &+= 1 }

    /// Makes all relationships be read again at their next access.
    func forgetRelationships() {
        generation += 1
        hasLoadedRelationships = false
        danglingReferences = []
    }
}
