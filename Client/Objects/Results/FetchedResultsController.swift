/// The result of a fetch request that stays true: it says how it changes, as a stable difference, whoever changes it.
///
///     let controller = try FetchedResultsController(request, in: context, sectionedBy: "person.name")
///     try controller.performFetch()
///     for try await update in try controller.updates() { show(update) }
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
    /// The result as it was delivered last; empty before ``performFetch()``.
    public private(set) var snapshot = ResultsSnapshot<ObjectID>(rows: [])
    /// Called with each step, in the context's isolation.
    public var onUpdate: ((ResultsUpdate<ObjectID>) -> Void)?

    private var fetch: ResultsFetch<Object>
    /// What each row held, to tell which rows changed.
    private var contents: [ObjectID: Int] = [:]
    private var isFetched = false
    /// Whether somebody takes the steps out of ``waiting``.
    var isIterated = false
    /// Steps that nobody has taken yet.
    var waiting: [ResultsUpdate<ObjectID>] = []

    /// - Throws: ``ObjectError`` with the code `invalidRequest` where the section path is not the first sort descriptor, and what a
    ///   fetch of the request throws.
    public init(_ request: FetchRequest<Object>, in context: ObjectContext, sectionedBy sectionPath: String? = nil)
        throws
    {
        self.request = request
        self.context = context
        self.sectionPath = sectionPath
        fetch = try ResultsFetch(request, sectionPath, context)
        context.results.append(WeakResults(self))
    }

    /// Fetches the result; differences are delivered from now on.
    ///
    /// - Throws: As ``ObjectContext/fetch(_:)``.
    public func performFetch() throws {
        let rows = try fetch.all()
        snapshot = try fetch.snapshot(of: rows)
        contents = Dictionary(rows.map { ($0.id, $0.content) }) { first, _ in first }
        isFetched = true
    }

    /// The object of a row; `nil` where there is no such row, or it is gone.
    ///
    /// - Throws: ``ObjectError`` with the code `store`.
    public func object(at path: ResultsIndexPath) throws -> Object? {
        try snapshot.row(at: path).flatMap { try context.object(with: $0) as? Object }
    }

    /// The objects of a range of rows, read together.
    ///
    /// - Throws: ``ObjectError`` with the code `store`.
    public func objects(inSection section: Int, rows: Range<Int>) throws -> [Object] {
        guard snapshot.sections.indices.contains(section) else { return [] }
        let ids = snapshot.sections[section].rows
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

    /// - Parameter extent: What may have changed.
    func update(_ extent: StoreChange.Extent, from origins: Set<ChangeOrigin>) throws -> ResultsUpdate<ObjectID>? {
        guard isFetched else { return nil }
        let (next, difference): (ResultsSnapshot<ObjectID>, ResultsDifference<ObjectID>)
        if case .records(let ids) = extent, let changed = fetch.concerned(ids) {
            guard !changed.isEmpty else { return nil }
            (next, difference) = try update(changed)
        } else {
            (next, difference) = try updateAll()
        }
        snapshot = next
        guard !difference.isEmpty else { return nil }
        let update = ResultsUpdate(difference: difference, snapshot: next, origins: origins)
        if isIterated { waiting.append(update) }
        onUpdate?(update)
        return update
    }

    private func updateAll() throws -> (ResultsSnapshot<ObjectID>, ResultsDifference<ObjectID>) {
        let rows = try fetch.all()
        let next = try fetch.snapshot(of: rows)
        let now = Dictionary(rows.map { ($0.id, $0.content) }) { first, _ in first }
        let updated = Set(
            rows.lazy.filter { row in self.contents[row.id].map { $0 != row.content } ?? false }.map(\.id))
        contents = now
        return (next, .between(snapshot, next, updated: updated))
    }

    private func update(
        _ changed: Set<ObjectID>
    ) throws -> (ResultsSnapshot<ObjectID>, ResultsDifference<ObjectID>) {
        let rows = try fetch.rows(changed)
        var placements: [ObjectID: ResultsPlacement] = [:]
        for id in changed {
            let row = rows[id]
            // A row that holds what it held is no update.
            if let row, contents[id] == row.content { continue }
            placements[id] = row.map { .present(section: $0.section) } ?? .absent
            contents[id] = row?.content
        }
        let order = try fetch.order(knowing: rows)
        return try snapshot.updated(with: placements, by: order.isBefore)
    }
}

/// A controller as its context holds it.
protocol ResultsListener: AnyObject {
    func update(_ extent: StoreChange.Extent, from origins: Set<ChangeOrigin>) throws
}

extension FetchedResultsController: ResultsListener {
    func update(_ extent: StoreChange.Extent, from origins: Set<ChangeOrigin>) throws {
        let _: ResultsUpdate<ObjectID>? = try update(extent, from: origins)
    }
}

/// Holds a controller without keeping it alive.
struct WeakResults {
    weak var listener: (any ResultsListener)?

    init(_ listener: any ResultsListener) { self.listener = listener }
}
