import Objects
import Replica
import RoostModel
import Testing

/// Steps of ``FetchedResultsController/updates()`` applied to a copy always give the result of a fetch, with every writer.
@Suite struct ResultsUpdatesPropertyTests {
    struct List: CustomTestStringConvertible {
        let entity: String
        let format: String?
        let sortedBy: [FetchSortDescriptor]
        let limit: Int?
        let section: String?

        var testDescription: String {
            "\(entity) where \(format ?? "-") by \(sortedBy.map(\.path)), limit \(limit ?? 0), sections \(section ?? "-")"
        }

        func request() throws -> FetchRequest<ManagedObject> {
            FetchRequest(
                entity, where: try format.map { try FetchPredicate(format: $0) }, sortedBy: sortedBy, limit: limit)
        }
    }

    private static let byAuthor: [FetchSortDescriptor] = [.ascending("author.name", .localized), .ascending("pages")]
    static let lists = [
        List(entity: "Book", format: nil, sortedBy: byAuthor, limit: nil, section: "author.name"),
        List(entity: "Book", format: "pages < 6", sortedBy: [.descending("pages")], limit: nil, section: "pages"),
        List(
            entity: "Book", format: "pages < 7 AND (shelf != nil OR ANY tags.name == 't1')", sortedBy: byAuthor,
            limit: nil,
            section: "author.name"),
        List(
            entity: "Book", format: nil, sortedBy: [.descending("pages"), .ascending("title")], limit: 4, section: nil),
        List(entity: "Book", format: nil, sortedBy: byAuthor, limit: 5, section: "author.name"),
        List(
            entity: "Folder", format: nil, sortedBy: [.ascending("parent.name"), .ascending("name")], limit: nil,
            section: "parent.name"),
        List(
            entity: "Folder", format: "parent.parent == nil OR SUBQUERY(children, $c, $c.name > 'n4').@count > 0",
            sortedBy: [.ascending("parent.parent.name"), .descending("name")], limit: nil, section: nil),
    ]

    struct Missed: Error { let what: String }

    /// A viewer of a list that observes only its steps.
    private final class Viewer {
        let list: List
        var copy: ResultsSnapshot<ObjectID>
        var contents: [ObjectID: [Value]] = [:]
        private let controller: FetchedResultsController<ManagedObject>
        private var steps: ResultsUpdates<ManagedObject>.Iterator

        init(_ list: List, _ context: ObjectContext) throws {
            self.list = list
            controller = try FetchedResultsController(try list.request(), in: context, sectionedBy: list.section)
            steps = try controller.updates().makeAsyncIterator()
            copy = controller.snapshot
            try show(copy.sections.flatMap(\.rows))
        }

        /// Waits for steps until the list equals a new fetch. A missing step ends the test by its time limit.
        func follow(_ writers: ManyWriters, _ place: String) async throws {
            let other = writers.library.context()
            let fresh = try FetchedResultsController(try list.request(), in: other, sectionedBy: list.section)
            try fresh.performFetch()
            let rows = fresh.snapshot.sections.flatMap(\.rows)
            let wanted = try Dictionary(uniqueKeysWithValues: rows.map { ($0, try Self.content($0, other)) })
            while copy != fresh.snapshot || contents != wanted {
                guard let step = try await steps.next() else {
                    let difference = ResultsDifference.between(copy, fresh.snapshot)
                    let updates = wanted.filter { contents[$0.key] != $0.value }
                    throw Missed(what: "\(place): \(difference.changes), updates \(updates.keys.sorted())")
                }
                let before = step.isReset ? ResultsSnapshot(sections: []) : copy
                copy = try step.difference.applied(to: before)
                #expect(copy == step.snapshot, "\(place)")
                for gone in step.difference.rowDeletes { contents[gone.id] = nil }
                if step.isReset { contents = [:] }
                let updates =
                    step.difference.rowUpdates.map(\.id) + step.difference.rowMoves.filter(\.isUpdated).map(\.id)
                try show(step.difference.rowInserts.map(\.id) + updates)
            }
        }

        private func show(_ ids: [ObjectID]) throws {
            for id in ids { contents[id] = try Self.content(id, controller.context) }
        }

        private static func content(_ id: ObjectID, _ context: ObjectContext) throws -> [Value] {
            guard let object = try context.object(with: id) else { return [] }
            return try object.entity.attributes.map { try object.value(of: $0.name) }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: 0..<6) func stepsOfAllAddUpToTheResult(_ seed: Int) async throws {
        var writers = try ManyWriters(seed: seed)
        let viewers = try Self.lists.map { try Viewer($0, writers.context) }
        for step in 0..<12 {
            let authors = try (0...writers.below(3)).map { _ in try writers.write() }
            for viewer in viewers {
                try await viewer.follow(
                    writers, "seed \(seed), step \(step) by \(authors): \(viewer.list.testDescription)")
            }
        }
        #expect(writers.context.failure == nil)
    }
}
