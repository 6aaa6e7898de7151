internal import Objects
internal import RoostModel

/// The live result of a request, as a first event with all rows and then as differences.
final class ListContent: Observation.Content {
    private let context: ObjectContext
    private let controller: FetchedResultsController<ManagedObject>
    private let form: RowForm
    private var isDelivered = false

    /// - Throws: As a fetch of the request.
    init(_ request: FetchRequest<ManagedObject>, sectionedBy path: String?, _ use: ReplicaEntry.Use) throws {
        form = try RowForm(request.entity, in: use.schema)
        context = use.context
        controller = try FetchedResultsController(request, in: context, sectionedBy: path)
        try controller.performFetch(isolation: nil)
    }

    func event() throws -> JSONValue? {
        guard isDelivered else {
            let event = try first()
            isDelivered = true
            return event
        }
        guard let update = try controller.update() else { return nil }
        return .members(
            ("kind", .string("list")),
            ("origins", .array(Set(update.origins.map(\.name)).sorted().map { .string($0) })),
            ("difference", try json(update.difference)))
    }

    private func first() throws -> JSONValue {
        let snapshot = controller.snapshot
        // The list records an error, because a property cannot throw it.
        if let failure = context.failure {
            context.discardFailures()
            throw failure
        }
        let sections = try snapshot.sections.map { section in
            JSONValue.members(
                ("name", section.name.map { .string($0) } ?? .null), ("rows", .array(try rows(section.rows))))
        }
        return .members(
            ("kind", .string("list")), ("origins", .array([.string("initial")])), ("kinds", form.kinds),
            ("sections", .array(sections)))
    }

    /// Returns rows, one for each identifier. A record that was deleted in the meantime has no values: a later event deletes it.
    private func rows(_ ids: [ObjectID]) throws -> [JSONValue] {
        let objects = Dictionary(try context.objects(with: ids).map { ($0.objectID, $0) }) { first, _ in first }
        return try ids.map { id in try objects[id].map { try form.row($0) } ?? .members(("id", id.json)) }
    }

    /// The objects of the changed rows are read together.
    private func json(_ difference: ResultsDifference<ObjectID>) throws -> JSONValue {
        let shown =
            difference.rowInserts.map(\.id) + difference.rowUpdates.map(\.id)
            + difference.rowMoves.filter(\.isUpdated).map(\.id)
        let objects = Dictionary(try context.objects(with: shown).map { ($0.objectID, $0) }) { first, _ in first }
        func row(_ id: ObjectID) throws -> JSONValue? { try objects[id].map { try form.row($0) } }
        return .members(
            ("deletedSections", .array(difference.sectionDeletes.map(\.json))),
            ("movedSections", .array(difference.sectionMoves.map(\.json))),
            ("insertedSections", .array(difference.sectionInserts.map(\.json))),
            ("deleted", .array(difference.rowDeletes.map { .members(("id", $0.id.json), ("at", $0.path.json)) })),
            (
                "moved",
                .array(
                    try difference.rowMoves.map { move in
                        .members(
                            ("id", move.id.json), ("from", move.from.json), ("to", move.to.json),
                            ("row", try row(move.id)))
                    })
            ),
            (
                "inserted",
                .array(
                    try difference.rowInserts.map { insert in
                        .members(("id", insert.id.json), ("at", insert.path.json), ("row", try row(insert.id)))
                    })
            ),
            (
                "updated",
                .array(
                    try difference.rowUpdates.map { update in
                        .members(("id", update.id.json), ("at", update.to.json), ("row", try row(update.id)))
                    })
            ))
    }
}

extension ChangeOrigin {
    /// The name of the origin in an event.
    fileprivate var name: String {
        switch self {
        case .thisContext, .otherContext: "local"
        case .otherProgram: "otherProgram"
        case .synchronisation: "synchronisation"
        }
    }
}

extension ObjectID {
    fileprivate var json: JSONValue { .string(record.description) }
}

extension ResultsIndexPath {
    fileprivate var json: JSONValue { .array([.integer(section), .integer(row)]) }
}

extension ResultsDifference.SectionChange {
    fileprivate var json: JSONValue {
        .members(("name", name.map { .string($0) } ?? .null), ("index", .integer(index)))
    }
}

extension ResultsDifference.SectionMove {
    fileprivate var json: JSONValue {
        .members(("name", name.map { .string($0) } ?? .null), ("from", .integer(from)), ("to", .integer(to)))
    }
}
