/// The result of a fetch request that stays true: it says how it changes, as a stable difference, whoever changes it.
///
///     let controller = try FetchedResultsController(request, in: context, sectionedBy: "person.name")
///     try controller.performFetch()
///     for try await update in try controller.updates() { show(update) }
///
/// A list with sections of what its rows name, such as `person.name`, begins with its ``sections`` alone: how many rows each has.
/// ``objects(inSection:rows:)`` reads the rows that are shown, and all rows are read with the first look at ``snapshot``, the first
/// edit, or ``updates()``.
///
/// It belongs to its context's isolation. Unsaved changes of the context count; they are delivered when the context saves, undoes or
/// rolls back, at the end of ``ObjectContext/group(_:_:)``, by ``ObjectContext/deliverChanges()`` and by ``update()``.
public final class FetchedResultsController<Object: ManagedObject> {
    /// What is asked for.
    public let request: FetchRequest<Object>
    /// Where the objects live.
    public let context: ObjectContext
    /// The path whose value names a row's section; `nil` for one section. It must be the first sort descriptor.
    public let sectionPath: String?
    /// The result as it was delivered last; empty before ``performFetch()``. A failure to read it becomes the context's
    /// ``ObjectContext/failure``.
    public var snapshot: ResultsSnapshot<ObjectID> {
        attempt { try readRows() }
        // Who looks at it sees what others wrote meanwhile.
        isMissed = false
        return rows
    }

    /// The sections of the result, and how many rows each has; they cost less than ``snapshot``.
    public var sections: [ResultsSectionInfo] {
        outline?.sections.map(\.info)
            ?? rows.sections.map { ResultsSectionInfo(name: $0.name, rowCount: $0.rows.count) }
    }

    private var rows = ResultsSnapshot<ObjectID>(rows: [])
    /// The sections, as long as the rows are not read.
    private var outline: ResultsOutline?
    /// Enough for columns side by side.
    private static var shownMax: Int { 16 }

    /// The batches of rows that were looked at last, the last one last.
    private var shown: [(section: Int, number: Int, objects: [Object])] = []
    /// Whether somebody wrote between the sections and the rows, and nobody was told.
    private var isMissed = false
    /// Called with each step, in the context's isolation.
    public var onUpdate: ((ResultsUpdate<ObjectID>) -> Void)?

    private let fetch: ResultsFetch<Object>
    private let outlineFetch: OutlineFetch<Object>?
    /// What each row held, to tell which rows changed.
    private var contents: [ObjectID: Int] = [:]
    private var isFetched = false
    /// Whoever takes the steps out of ``waiting``.
    weak var iteration: ResultsIteration?
    /// Steps that nobody has taken yet.
    var waiting: [ResultsUpdate<ObjectID>] = []

    /// Makes live results, with a section for each value of a path; they are empty before ``performFetch()``.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - context: Where the objects live. It does not keep the controller alive.
    ///   - sectionPath: What the request is sorted by first, such as `person.name`; `nil` for one section without a name.
    /// - Throws: ``ObjectError`` with the code `invalidRequest` where the section path is not the first sort descriptor, and what a
    ///   fetch of the request throws.
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

    /// Fetches the result; differences are delivered from now on.
    ///
    /// - Throws: As ``ObjectContext/fetch(_:)``.
    public func performFetch() throws {
        outline = try outlineFetch?.outline()
        isMissed = false
        rows = ResultsSnapshot(sections: [])
        shown = []
        if outline == nil { try fetchRows() } else { context.hasUnreadResults = true }
        isFetched = true
    }

    private func fetchRows() throws {
        let all = try fetch.all()
        rows = try fetch.snapshot(of: all)
        contents = Dictionary(all.map { ($0.id, $0.content) }) { first, _ in first }
    }

    /// Reads the rows of which only the sections are known.
    func readRows() throws {
        guard let outline else { return }
        try fetchRows()
        // Looked at after the rows: where nobody has written until now, they are those of the sections.
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

    /// The object of a row; `nil` where there is no such row, or it is gone. It is read together with those around it,
    /// ``FetchRequest/batchSize`` at a time, and what one of them names is read for all: a list asks row by row.
    ///
    /// - Throws: ``ObjectError`` with the code `store`.
    public func object(at path: ResultsIndexPath) throws -> Object? {
        let size = max(1, request.batchSize)
        let number = path.row / size
        if shown.last?.section != path.section || shown.last?.number != number {
            let known = shown.firstIndex { $0.section == path.section && $0.number == number }.map {
                shown.remove(at: $0)
            }
            let rows = (number * size)..<((number + 1) * size)
            shown.append(try known ?? (path.section, number, objects(inSection: path.section, rows: rows)))
            if shown.count > Self.shownMax { shown.removeFirst() }
        }
        if outline == nil { return try rows.row(at: path).flatMap { try context.object(with: $0) as? Object } }
        let place = path.row - number * size
        guard let objects = shown.last?.objects, objects.indices.contains(place) else { return nil }
        return objects[place].isDeleted ? nil : objects[place]
    }

    /// The objects of a range of rows, read together.
    ///
    /// - Throws: ``ObjectError`` with the code `store`.
    public func objects(inSection section: Int, rows: Range<Int>) throws -> [Object] {
        if let outline, let outlineFetch {
            guard outline.sections.indices.contains(section) else { return [] }
            return try outlineFetch.objects(in: outline.sections[section], rows)
        }
        guard self.rows.sections.indices.contains(section) else { return [] }
        let ids = self.rows.sections[section].rows
        return try context.objects(with: Array(ids[rows.clamped(to: ids.indices)])).compactMap { $0 as? Object }
    }

    /// Looks for changes of the context, and delivers them.
    ///
    /// - Returns: `nil` where nothing changed.
    /// - Throws: As ``ObjectContext/fetch(_:)``; the result is as it was.
    @discardableResult
    public func update() throws -> ResultsUpdate<ObjectID>? {
        try update(.unknown, from: [.thisContext])
    }

    /// The steps of the result, by whomever, until the task is cancelled, for one who iterates. What others save is taken into the
    /// context with it.
    ///
    /// - Throws: ``ObjectError`` with the code `store` where the stores cannot be watched.
    public func updates() throws -> ResultsUpdates<Object> {
        if !isFetched { try performFetch() }
        return try ResultsUpdates(self)
    }

    // MARK: Steps

    /// Tells what others wrote between the sections and the rows, where the rows were read with it.
    func deliverMissed() throws {
        if isMissed { let _: ResultsUpdate<ObjectID>? = try update(.unknown, from: ChangeOrigin.others) }
    }

    /// - Parameters:
    ///   - extent: What may have changed.
    ///   - whole: The origins where everything is read; the same unless given.
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
            origins: isReset ? origins.union(ChangeOrigin.others) : origins, isReset: isReset)
        if iteration != nil { waiting.append(update) }
        onUpdate?(update)
        return update
    }

    /// What a step makes of the result.
    private struct Step {
        let next: ResultsSnapshot<ObjectID>
        let difference: ResultsDifference<ObjectID>
        /// What all rows hold, where all were read.
        var all: [ObjectID: Int]?
        /// What those rows hold that were read; `nil` for one that is not there any more.
        var contents: [ObjectID: Int?] = [:]

        func content(of id: ObjectID) -> Int? { all?[id] ?? contents[id].flatMap(\.self) }
    }

    /// A step says what others wrote, too, that nobody has taken into the context yet: no later step would say it of these objects.
    private func refreshStale(_ step: Step) throws {
        let ids =
            step.difference.rowInserts.map(\.id) + step.difference.rowUpdates.map(\.id)
            + step.difference.rowMoves.filter(\.isUpdated).map(\.id)
        let stale = ids.compactMap { context.registeredObject($0) }.filter { object in
            object.state == .unchanged
                && step.content(of: object.objectID) != ResultsFetch<Object>.content(of: object.values)
        }
        guard !stale.isEmpty else { return }
        // This step says it.
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
            // A row that holds what it held is no update.
            if let row, self.contents[id] == row.content { continue }
            placements[id] = row.map { .present(section: $0.section) } ?? .absent
            contents.updateValue(row?.content, forKey: id)
        }
        let order = try fetch.order(knowing: found)
        let (next, difference) = try rows.updated(with: placements, by: order.isBefore)
        return Step(next: next, difference: difference, contents: contents)
    }
}

/// A controller as its context holds it.
protocol ResultsListener: AnyObject {
    func update(_ extent: StoreChange.Extent, from origins: Set<ChangeOrigin>, whole: Set<ChangeOrigin>) throws
    /// Reads what a later difference starts from, where it is not read yet.
    func readRows() throws
}

extension FetchedResultsController: ResultsListener {
    func update(
        _ extent: StoreChange.Extent, from origins: Set<ChangeOrigin>, whole: Set<ChangeOrigin>
    ) throws {
        let _: ResultsUpdate<ObjectID>? = try update(extent, from: origins, whole: whole)
    }
}

/// Holds a controller without keeping it alive.
struct WeakResults {
    weak var listener: (any ResultsListener)?

    init(_ listener: any ResultsListener) { self.listener = listener }
}
