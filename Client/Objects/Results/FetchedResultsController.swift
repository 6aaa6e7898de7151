/// The live result of a fetch request. It reports each change as a stable difference, whatever program or device made it.
///
///     let controller = try FetchedResultsController(request, in: context, sectionedBy: "person.name")
///     try controller.performFetch()
///     for try await update in try controller.updates() { show(update) }
///
/// A list with sections named by a value of another record, such as `person.name`, starts with its ``sections`` alone: the number
/// of rows of each. ``objects(inSection:rows:)`` reads the rows on screen. All rows are read by the first access to ``snapshot``,
/// the first edit, or ``updates()``.
///
/// A controller belongs to its context's isolation. Unsaved changes of the context count. They are delivered when the context
/// saves, undoes or rolls back, at the end of ``ObjectContext/group(_:_:)``, by ``ObjectContext/deliverChanges()`` and by
/// ``update()``.
///
/// Changes that others save are applied to the context and its lists, so that rows, order and objects are of one state:
///
/// - A list that is fetched on an actor, such as the main actor, follows others by itself. Each of their writes calls
///   ``onUpdate``, in a turn of the actor of its own.
/// - A list without ``onUpdate`` and ``updates()``, and each list without an actor, first checks for writes of others when it is
///   accessed.
public final class FetchedResultsController<Object: ManagedObject> {
    /// The fetch request.
    public let request: FetchRequest<Object>
    /// The context of the objects.
    public let context: ObjectContext
    /// The path whose value names a row's section; `nil` for one section. It must be the path of the first sort descriptor.
    public let sectionPath: String?
    /// The result as it was last delivered; empty before ``performFetch(isolation:)``. A failure to read it becomes the context's
    /// ``ObjectContext/failure``.
    public var snapshot: ResultsSnapshot<ObjectID> {
        attempt {
            try catchUp()
            try readRows()
        }
        // The caller sees the rows that others wrote in the meantime, so no update has to report them.
        isMissed = false
        return rows
    }

    /// The sections of the result with their numbers of rows. They cost less to read than ``snapshot``.
    public var sections: [ResultsSectionInfo] {
        attempt { try catchUp() }
        return outline?.sections.map(\.info)
            ?? rows.sections.map { ResultsSectionInfo(name: $0.name, rowCount: $0.rows.count) }
    }

    private var rows = ResultsSnapshot<ObjectID>(rows: [])
    /// The sections, while the rows are not read.
    private var outline: ResultsOutline?
    /// Maximum number of batches in `shown`: enough for several columns displayed side by side.
    private static var shownMax: Int { 16 }

    /// The batches of rows that were accessed last, the most recent one last.
    private var shown: [(section: Int, number: Int, objects: [Object])] = []
    /// The context's ``ObjectContext/renewedCount`` at the last access to an object.
    private var seenRenewals: UInt64 = 0
    /// Whether others wrote between the reading of the sections and the reading of the rows, and no update has reported it.
    private var isMissed = false
    /// Closure that is called with each step, in the context's isolation.
    public var onUpdate: ((ResultsUpdate<ObjectID>) -> Void)?

    private let fetch: ResultsFetch<Object>
    private let outlineFetch: OutlineFetch<Object>?
    /// A hash of each row's content, to detect which rows changed.
    private var contents: [ObjectID: Int] = [:]
    private var isFetched = false
    /// The iteration that consumes the steps in ``waiting``; `nil` while there is none.
    weak var iteration: ResultsIteration?
    /// Steps that the iteration has not consumed yet.
    var waiting: [ResultsUpdate<ObjectID>] = []

    /// Makes live results, with a section for each value of a path. They are empty before ``performFetch(isolation:)``.
    ///
    /// - Parameters:
    ///   - request: The fetch request.
    ///   - context: The context of the objects. It does not keep the controller alive.
    ///   - sectionPath: The path of the request's first sort descriptor, such as `person.name`; `nil` for one section without a
    ///     name.
    /// - Throws: ``ObjectError`` with the code `invalidRequest` where the section path is not the path of the first sort
    ///   descriptor; otherwise as a fetch of the request.
    public init(_ request: FetchRequest<Object>, in context: ObjectContext, sectionedBy sectionPath: String? = nil)
        throws
    {
        self.request = request
        self.context = context
        self.sectionPath = sectionPath
        fetch = try ResultsFetch(request, sectionPath, context)
        outlineFetch = try OutlineFetch(request, sectionPath, context)
        context.results.append(WeakResults(self))
    }

    deinit { context.resultsEnded() }

    /// Fetches the result. Differences are delivered from then on.
    ///
    /// - Parameter actor: The isolation of the context. On an actor, a task applies what others save from then on, as long as the
    ///   context has a list.
    /// - Throws: As ``ObjectContext/fetch(_:)``; the result is unchanged.
    public func performFetch(isolation actor: isolated (any Actor)? = #isolation) throws {
        let wasFetched = isFetched
        // The list is read after what others have saved is applied, and reports no difference.
        isFetched = false
        do {
            try context.beginChecks()
            try fetchAgain()
            isFetched = true
            try context.followForResults(isolation: actor)
        } catch {
            isFetched = isFetched || wasFetched
            throw error
        }
    }

    /// Reads the sections, or all rows where the sections alone cannot be read.
    private func fetchAgain() throws {
        let found = try outlineFetch?.outline()
        if found == nil { try fetchRows() } else { rows = ResultsSnapshot(sections: []) }
        outline = found
        if found != nil { context.hasUnreadResults = true }
        isMissed = false
        shown = []
    }

    /// Applies what others have saved before the list is accessed, unless a step reports it to an observer of the list.
    private func catchUp() throws {
        guard isFetched, isUnobserved || context.follower == nil else { return }
        try context.catchUp()
    }

    private var isUnobserved: Bool { onUpdate == nil && iteration == nil }

    private func fetchRows() throws {
        let all = try fetch.all()
        rows = try fetch.snapshot(of: all)
        contents = Dictionary(all.map { ($0.id, $0.content) }) { first, _ in first }
    }

    /// Reads the rows, where only the sections are read yet.
    func readRows() throws {
        guard let outline else { return }
        try fetchRows()
        // The token is read after the rows: where it is unchanged, the rows match the sections.
        isMissed = try outlineFetch?.token() != outline.token
        self.outline = nil
    }

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            context.fail(error, "Cannot read the rows of a list")
        }
    }

    /// Returns the object of a row; `nil` where the row does not exist, or its object is gone.
    ///
    /// The object is read together with the rows around it, ``FetchRequest/batchSize`` at a time, and a relationship of one
    /// object is read for all of them, because a list asks row by row.
    ///
    /// - Throws: ``ObjectError`` with the code `store`.
    public func object(at path: ResultsIndexPath) throws -> Object? {
        let size = max(1, request.batchSize)
        let number = path.row / size
        // A batch was read in the state of the list. A fetch by the program may have read a later one since.
        if context.renewedCount != seenRenewals || shown.last?.section != path.section || shown.last?.number != number {
            try catchUp()
            seenRenewals = context.renewedCount
        }
        if shown.last?.section != path.section || shown.last?.number != number {
            let known = shown.firstIndex { $0.section == path.section && $0.number == number }.map {
                shown.remove(at: $0)
            }
            let rows = (number * size)..<((number + 1) * size)
            shown.append(try known ?? (path.section, number, objectsAsListed(inSection: path.section, rows: rows)))
            if shown.count > Self.shownMax { shown.removeFirst() }
        }
        if outline == nil { return try rows.row(at: path).flatMap { try context.object(with: $0) as? Object } }
        let place = path.row - number * size
        guard let objects = shown.last?.objects, objects.indices.contains(place) else { return nil }
        return objects[place].isDeleted ? nil : objects[place]
    }

    /// Returns the objects of a range of rows, read together.
    ///
    /// - Throws: ``ObjectError`` with the code `store`.
    public func objects(inSection section: Int, rows: Range<Int>) throws -> [Object] {
        try catchUp()
        return try objectsAsListed(inSection: section, rows: rows)
    }

    private func objectsAsListed(inSection section: Int, rows: Range<Int>) throws -> [Object] {
        if let outline, let outlineFetch {
            guard outline.sections.indices.contains(section) else { return [] }
            return try outlineFetch.objects(in: outline.sections[section], rows)
        }
        guard self.rows.sections.indices.contains(section) else { return [] }
        let ids = self.rows.sections[section].rows
        return try context.objects(with: Array(ids[rows.clamped(to: ids.indices)])).compactMap { $0 as? Object }
    }

    /// Checks for changes of the context and of others, and delivers them.
    ///
    /// - Returns: The step; `nil` where nothing changed.
    /// - Throws: As ``ObjectContext/fetch(_:)``; the result is unchanged.
    @discardableResult
    public func update() throws -> ResultsUpdate<ObjectID>? {
        guard isFetched else { return nil }
        let origins = try context.catchUp(except: self)
        return try update(.unknown, from: origins.isEmpty ? [.thisContext] : origins)
    }

    /// Returns the steps of the result, of any origin, as a sequence that ends when the task is cancelled. The iteration also
    /// refreshes the context with changes that others save.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where the stores cannot be watched.
    public func updates() throws -> ResultsUpdates<Object> {
        if !isFetched { try performFetch() }
        return try ResultsUpdates(self)
    }

    // MARK: Steps

    /// Reports changes that others wrote between the reading of the sections and the reading of the rows.
    func deliverMissed() throws {
        if isMissed { let _: ResultsUpdate<ObjectID>? = try update(.unknown, from: ChangeOrigin.others) }
    }

    /// Brings the result up to date, and reports the step.
    ///
    /// - Parameters:
    ///   - extent: The records that may have changed.
    ///   - origins: The origins of the changes.
    ///   - whole: The origins to report where all rows are read; `origins` unless given.
    func update(
        _ extent: StoreChange.Extent, from origins: Set<ChangeOrigin>, whole: Set<ChangeOrigin>? = nil
    ) throws -> ResultsUpdate<ObjectID>? {
        guard isFetched else { return nil }
        try readRows()
        var origins = origins
        let step: Step
        if case .records(let ids) = extent, let changed = fetch.concerned(ids) {
            guard !changed.isEmpty || isMissed else { return nil }
            step = try stepOf(changed)
        } else {
            origins = whole ?? origins
            step = try stepOfAll()
        }
        try refreshStale(step)
        if let all = step.all { contents = all }
        for (id, content) in step.contents { contents[id] = content }
        rows = step.next
        shown = []
        let isReset = isMissed
        isMissed = false
        if iteration == nil { waiting = [] }
        guard !step.difference.isEmpty || isReset else { return nil }
        let update = ResultsUpdate(
            difference: isReset ? .between(ResultsSnapshot(sections: []), rows) : step.difference, snapshot: rows,
            origins: isReset && origins.isDisjoint(with: ChangeOrigin.others)
                ? origins.union(ChangeOrigin.others) : origins,
            isReset: isReset)
        if iteration != nil { waiting.append(update) }
        onUpdate?(update)
        return update
    }

    /// The outcome of a step.
    private struct Step {
        let next: ResultsSnapshot<ObjectID>
        let difference: ResultsDifference<ObjectID>
        /// The content of all rows, where all were read.
        var all: [ObjectID: Int]?
        /// The content of the rows that were read; `nil` for a row that no longer exists.
        var contents: [ObjectID: Int?] = [:]

        func content(of id: ObjectID) -> Int? { all?[id] ?? contents[id].flatMap(\.self) }
    }

    /// Refreshes objects whose changes by others are part of a step, but not applied to the context yet. No later step would
    /// report these changes.
    private func refreshStale(_ step: Step) throws {
        let ids =
            step.difference.rowInserts.map(\.id) + step.difference.rowUpdates.map(\.id)
            + step.difference.rowMoves.filter(\.isUpdated).map(\.id)
        let stale = ids.compactMap { context.registeredObject($0) }.filter { object in
            object.state == .unchanged
                && step.content(of: object.objectID) != ResultsFetch<Object>.content(of: object.values)
        }
        guard !stale.isEmpty else { return }
        // The step reports the refreshed objects itself, so they are not queued for delivery.
        let waiting = (context.undelivered, context.undeliveredOrigins)
        try context.refresh(stale, from: ChangeOrigin.others)
        (context.undelivered, context.undeliveredOrigins) = waiting
    }

    private func stepOfAll() throws -> Step {
        let all = try fetch.all()
        let next = try fetch.snapshot(of: all)
        let now = Dictionary(all.map { ($0.id, $0.content) }) { first, _ in first }
        let updated = Set(
            all.lazy.filter { row in self.contents[row.id].map { $0 != row.content } ?? false }.map(\.id))
        return Step(next: next, difference: .between(rows, next, updated: updated), all: now)
    }

    private func stepOf(_ changed: Set<ObjectID>) throws -> Step {
        let found = try fetch.rows(changed)
        var placements: [ObjectID: ResultsPlacement] = [:]
        var contents: [ObjectID: Int?] = [:]
        for id in changed {
            let row = found[id]
            // A row whose content is unchanged is not an update.
            if let row, self.contents[id] == row.content { continue }
            placements[id] = row.map { .present(section: $0.section) } ?? .absent
            contents.updateValue(row?.content, forKey: id)
        }
        let order = try fetch.order(knowing: found)
        let (next, difference) = try rows.updated(with: placements, by: order.isBefore)
        return Step(next: next, difference: difference, contents: contents)
    }
}

/// The interface of a controller to its context.
protocol ResultsListener: AnyObject {
    func update(_ extent: StoreChange.Extent, from origins: Set<ChangeOrigin>, whole: Set<ChangeOrigin>) throws
    /// Reads the rows that the next difference starts from, if they are not read yet.
    func readRows() throws
}

extension FetchedResultsController: ResultsListener {
    func update(
        _ extent: StoreChange.Extent, from origins: Set<ChangeOrigin>, whole: Set<ChangeOrigin>
    ) throws {
        // The rows are read before a change of this context. Nobody has seen the rows before a change of others, and nobody
        // observes the step.
        if outline != nil, isUnobserved { return try fetchAgain() }
        let _: ResultsUpdate<ObjectID>? = try update(extent, from: origins, whole: whole)
    }
}

/// A weak reference to a controller.
struct WeakResults {
    weak var listener: (any ResultsListener)?

    init(_ listener: any ResultsListener) { self.listener = listener }
}
