import BenchmarkData
import Foundation
import Objects
import Replica
import RoostModel

/// Objects over a replica, compared with manual SQL through GRDB on a file with equal tables. The rounds are interleaved.
struct ObjectWork {
    static let row = Row(
        names: ["objects"],
        help: """
            Objects over a replica of 100,000 spendings, against SQL written by hand through GRDB: fetching all, a list with
            sections, saving 10,000 new ones, the difference that follows an edit, and the memory of an object. Deleting 50
            people, whose spendings go with them, against deleting as many objects one by one.
            """, run: { try await ObjectWork(context: $0).run() })

    let context: Context

    private var count: Int { context.amount(100_000, quick: 20_000) }
    private var people: Int { context.amount(1000, quick: 200) }
    private var saved: Int { context.amount(10_000, quick: 2_000) }
    private var rounds: Int { context.amount(9, quick: 3) }

    func run() async throws -> [Figure] {
        let file = try FilledReplica(context, people: people, spendings: count)
        var figures = [try fetched(file)] + (try sections(file))
        figures.append(try live(file, sectionedBy: nil))
        figures.append(try live(file, sectionedBy: "person.name"))
        figures.append(try await memory(file))
        try file.close()
        context.remove(file.path)
        return figures + [try newObjects(), try cascades()]
    }

    // MARK: Fetching

    private func fetched(_ file: FilledReplica) throws -> Figure {
        let (stores, plain) = (try file.coordinator(), try PlainRows(file.path))
        let pairs = try (0..<rounds).map { _ in
            let hand = try timed { try plain.all() }
            let objects = ObjectContext(stores)
            let fetch = try timed { try objects.fetch(FetchRequest<SpendingObject>()) }
            try expect(fetch.result.count == hand.result.count, "A fetch gave another number of objects than SQL.")
            return (roost: fetch.seconds * 1000, hand: hand.seconds * 1000)
        }
        return ratio("fetch", "fetch of \(count) objects, all columns", nil, pairs, bar: 2.5)
    }

    private func sections(_ file: FilledReplica) throws -> [Figure] {
        let (stores, plain) = (try file.coordinator(), try PlainRows(file.path))
        let request = FetchRequest<SpendingObject>(sortedBy: [
            .ascending("person.name", .localized), .ascending("amount"),
        ])
        var rest: [(roost: Double, hand: Double)] = []
        let pairs = try (0..<rounds).map { _ in
            let hand = try timed { try plain.firstScreen(50) }
            let objects = ObjectContext(stores)
            let list = try FetchedResultsController(request, in: objects, sectionedBy: "person.name")
            let shown = try timed {
                try list.performFetch()
                return try firstScreen(of: list, 50)
            }
            try expect(list.sections.count == people, "A list had \(list.sections.count) sections.")
            try expect(
                shown.result.map(\.objectID.record) == hand.result,
                "A list with sections began with other rows than SQL.")
            let all = try timed { try plain.list(by: "person.name") }
            let rows = timed { list.snapshot.rowCount }
            try expect(rows.result == all.result.count, "A list with sections had \(rows.result) rows.")
            rest.append((roost: rows.seconds * 1000, hand: all.seconds * 1000))
            return (roost: shown.seconds * 1000, hand: hand.seconds * 1000)
        }
        return [
            milliseconds("sections", "list of \(count) in \(people) sections, first 50 rows", nil, pairs, bar: 10),
            milliseconds("all rows", "then the identifiers of all rows of the list, and what they hold", nil, rest),
        ]
    }

    /// Returns the rows that a list shows first, over as many sections as they need.
    private func firstScreen(of list: FetchedResultsController<SpendingObject>, _ count: Int) throws -> [SpendingObject]
    {
        var shown: [SpendingObject] = []
        var section = 0
        while shown.count < count, section < list.sections.count {
            shown += try list.objects(inSection: section, rows: 0..<(count - shown.count))
            section += 1
        }
        return shown
    }

    // MARK: Live results

    private func live(_ file: FilledReplica, sectionedBy path: String?) throws -> Figure {
        let (stores, plain) = (try file.coordinator(), try PlainRows(file.path))
        let objects = ObjectContext(stores)
        var order: [FetchSortDescriptor] = [.ascending("amount")]
        if let path { order.insert(.ascending(path, .localized), at: 0) }
        let list = try FetchedResultsController(
            FetchRequest<SpendingObject>(sortedBy: order), in: objects, sectionedBy: path)
        try list.performFetch()
        try expect(list.snapshot.rowCount == count, "A list had \(list.snapshot.rowCount) rows.")
        let ids = try objects.fetchIDs(FetchRequest<SpendingObject>())
        var steps = 0
        list.onUpdate = { steps += $0.difference.changes.count }
        let writes = context.amount(40, quick: 10)
        let pairs = try (0..<writes).map { number in
            let id = ids[(number * 941 + 13) % ids.count]
            guard let object = try objects.object(with: id) else { throw BenchmarkError("A spending is gone.") }
            let save = try timed {
                try object.set("amount", to: .integer(Int64(number * 500)))
                try objects.save()
            }
            try expect(steps == number + 1, "An edit of one row was \(steps - number) steps.")
            let hand = try timed { try plain.editAndList(id.record, amount: Int64(number * 500 + 1), by: path) }
            return (roost: save.seconds * 1000, hand: hand.seconds * 1000)
        }
        let name = path == nil ? "live" : "live, sections"
        let shape = path == nil ? "rows" : "rows in \(people) sections"
        return milliseconds(
            name, "edit and save one of \(count) \(shape), until its difference is there", .normal, pairs, bar: 5)
    }

    // MARK: Saving

    private func newObjects() throws -> Figure {
        let rounds = context.amount(7, quick: 3)
        let pairs = try (0..<rounds).map { _ in
            let hand = try savedByHand()
            return (roost: try savedObjects() * 1000, hand: hand * 1000)
        }
        return ratio(
            "save", "save of \(saved) new objects", .normal, pairs, bar: 2.5)
    }

    private func savedByHand() throws -> Double {
        let file = try FilledReplica(context, people: people, spendings: 0)
        defer { context.remove(file.path) }
        let plain = try PlainRows(file.path)
        let spendings = file.spendings(saved)
        let seconds = try timed { try plain.insert(spendings) }.seconds
        try file.close()
        return seconds
    }

    private func savedObjects() throws -> Double {
        let file = try FilledReplica(context, people: people, spendings: 0)
        defer { context.remove(file.path) }
        let objects = ObjectContext(try file.coordinator())
        let people = try objects.fetch(FetchRequest<PersonObject>())
        for (number, spending) in file.spendings(saved).enumerated() {
            let object = try objects.insert(SpendingObject.self)
            try object.set("content", to: .string(spending.content))
            try object.set("amount", to: .integer(spending.amount))
            try object.set("currency", to: .string(spending.currency))
            try object.set("date", to: .string(spending.date))
            try object.set("paid", to: .boolean(spending.isPaid))
            try object.set("person", to: people[number / Person.spendingsEach % people.count])
        }
        let seconds = try timed { try objects.save() }.seconds
        try file.close()
        return seconds
    }

    // MARK: Deleting

    /// Deletes parents with their children in a context that holds all objects, until it shows what is left.
    private func cascades() throws -> Figure {
        let deleted = context.amount(50, quick: 10)
        let spent = deleted * Person.spendingsEach
        let pairs = try (0..<rounds).map { _ in
            let all = try deletion { people, _ in Array(people.prefix(deleted)) }
            let each = try deletion { _, spendings in Array(spendings.prefix(deleted + spent)) }
            return (roost: all * 1000, hand: each * 1000)
        }
        return milliseconds(
            "cascades", "delete of \(deleted) people and \(spent) spendings of \(saved), and save", .normal, pairs)
    }

    private func deletion(_ choose: ([ManagedObject], [ManagedObject]) -> [ManagedObject]) throws -> Double {
        let file = try FilledReplica(context, people: saved / Person.spendingsEach, spendings: saved)
        defer { context.remove(file.path) }
        let objects = ObjectContext(try file.coordinator())
        let (people, spendings) = (
            try objects.fetch(FetchRequest<PersonObject>()), try objects.fetch(FetchRequest<SpendingObject>())
        )
        let chosen = choose(people, spendings)
        let seconds = try timed {
            for object in chosen { try objects.delete(object) }
            try objects.save()
        }.seconds
        try file.close()
        return seconds
    }

    // MARK: Memory

    private func memory(_ file: FilledReplica) async throws -> Figure {
        let objects = try await HoldCommand.run(file.path, .objects, context)
        let plain = try await HoldCommand.run(file.path, .structs, context)
        return Figure(
            row: "objects", measure: "memory", work: "memory of an object, of \(count) fetched", value: objects,
            unit: "bytes", bar: .atMost(1024), baseline: .cost(plain, "bytes", of: objects),
            detail: "resident memory of a process, with SQLite's pages")
    }

    // MARK: Figures

    private func timed<Result>(_ body: () throws -> Result) rethrows -> (result: Result, seconds: Double) {
        let start = ContinuousClock.now
        let result = try body()
        return (result, (ContinuousClock.now - start).seconds)
    }

    private func expect(_ isTrue: Bool, _ message: String) throws {
        guard isTrue else { throw BenchmarkError(message) }
    }

    private func ratio(
        _ measure: String, _ work: String, _ durability: Durability?, _ pairs: [(roost: Double, hand: Double)],
        bar: Double
    ) -> Figure {
        let ratios = Samples(pairs.map { $0.roost / $0.hand })
        let (roost, hand) = (Samples(pairs.map(\.roost)).median, Samples(pairs.map(\.hand)).median)
        return Figure(
            row: "objects", measure: measure, work: work, durability: durability, samples: ratios, unit: "×",
            bar: .atMost(bar), baseline: .init(value: hand, unit: "ms", ratio: ratios.median),
            detail: "\(Report.number(roost)) ms; rounds in turns")
    }

    private func milliseconds(
        _ measure: String, _ work: String, _ durability: Durability?, _ pairs: [(roost: Double, hand: Double)],
        bar: Double? = nil
    ) -> Figure {
        let times = Samples(pairs.map(\.roost))
        let hand = Samples(pairs.map(\.hand)).median
        return Figure(
            row: "objects", measure: measure, work: work, durability: durability, samples: times, unit: "ms",
            bar: bar.map { .atMost($0) }, baseline: .cost(hand, "ms", of: times.median), detail: "rounds in turns")
    }
}
