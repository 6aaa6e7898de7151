import Foundation
import Objects
import Replica
import RoostModel
import Testing

@testable import spending_list

// The code blocks of the articles in Client/Roost/Roost.docc and of the README, verbatim.

/// The code that a program adds to a generated class.
final class CheckedSpending: Spending {
    struct NotPositive: Error, CustomStringConvertible {
        let description = "\"amount\" is not above 0. Give it what was paid."
    }

    override func awakeFromInsert() { content = "Untitled" }

    override func validate() throws {
        guard amount > 0 else { throw NotPositive() }
    }
}

/// An actor that uses objects in its own isolation.
actor Totals {
    private let context: ObjectContext

    init(_ coordinator: StoreCoordinator) { context = ObjectContext(coordinator) }

    func amount(of id: ObjectID) throws -> Int64? {
        try context.object(with: id).flatMap { $0 as? Spending }?.amount
    }
}

/// The stack of an application: one for the process.
@MainActor final class TripStack {
    static let shared = TripStack("trip.roost")
    private let opened: Result<ObjectContainer, any Error>

    init(_ path: String) { opened = Result { try ObjectContainer(SpendingsSchema.self, at: path) } }

    /// The container, or an error with the reason why the file cannot be opened, for the first window.
    var container: ObjectContainer { get throws { try opened.get() } }
    /// The context of the user interface.
    var context: ObjectContext { get throws { try container.viewContext } }
}

/// The dear spendings, whose context ends with the function.
func dear(_ coordinator: StoreCoordinator) throws -> [Spending] {
    try ObjectContext(coordinator).fetch(FetchRequest<Spending>(where: \.amount > 20_00))
}

@Suite struct GuideTests {
    @Test @MainActor func readme() throws {
        let folder = try TripFolder()
        let path = folder.path("trip.roost")
        let container = try ObjectContainer(SpendingsSchema.self, at: path)
        let context = container.viewContext
        let ana = try context.insert(Person.self)
        ana.name = "Ana"
        let dinner = try context.insert(Spending.self)
        (dinner.content, dinner.amount, dinner.person) = ("Dinner", 30_00, ana)
        try context.save("add Dinner")
        let dear = FetchRequest<Spending>(
            where: \.person.name == "Ana" && \.amount > 20_00, sortedBy: [.ascending(\.content, .localized)])
        for spending in try context.fetch(dear) { print(spending.content, spending.person?.name ?? "") }
        #expect(try context.fetch(dear) == [dinner])
        #expect(ana.spendings == [dinner])
    }

    @Test @MainActor func beginning() throws {
        let folder = try TripFolder()
        let path = folder.path("trip.roost")
        let container = try ObjectContainer(SpendingsSchema.self, at: path)
        let context = container.viewContext

        let ana = try context.insert(Person.self)
        ana.name = "Ana"
        let dinner = try context.insert(Spending.self)
        dinner.content = "Dinner"
        dinner.amount = 30_00
        ana.addToSpendings(dinner)
        try context.save("add Dinner")
        #expect(dinner.person === ana)

        let taxi = try context.insert("Spending")
        try taxi.set("content", to: .string("Taxi"))
        try taxi.set("amount", to: .integer(12_50))
        try taxi.set("person", to: ana)
        #expect(ana.spendings == [dinner, taxi])

        context.rollback()
        #expect(ana.spendings == [dinner])

        let report = try context.save()
        #expect(report.isEmpty && report.conflicts.isEmpty)
    }

    @Test func subclasses() throws {
        let folder = try TripFolder()
        let replica = try folder.replica()
        let coordinator = try StoreCoordinator(
            replica, classes: SpendingsSchema.classes + [CheckedSpending.self])
        let context = ObjectContext(coordinator)
        let spending = try context.insert(CheckedSpending.self)
        spending.person = try context.insert(Person.self)
        spending.person?.name = "Ana"
        spending.amount = 0
        let error = #expect(throws: ObjectError.self) { try context.save() }
        #expect(error?.message.contains("Give it what was paid.") == true)
    }

    @Test func fetches() throws {
        let folder = try TripFolder()
        let context = ObjectContext(try folder.coordinator())
        let dinner = try context.spend(30_00, on: "Dinner", by: "Ana")
        let creme = try context.spend(6_20, on: "Crème brûlée", by: "Éva")
        let ana = try #require(dinner.person)

        let request = FetchRequest<Spending>(
            where: \.person.name == "Ana" && \.amount < 100_00,
            sortedBy: [.ascending(\.person.name, .localized), .ascending(\.amount)])
        let spendings = try context.fetch(request)
        let count = try context.count(request)
        let ids = try context.fetchIDs(request)
        #expect(spendings == [dinner] && count == 1 && ids == [dinner.objectID])

        let long = try context.fetchInBatches(request)
        #expect(long.first?.content == "Dinner")

        let ofAna = FetchRequest<Spending>(where: \.person == ana)
        let spenders = FetchRequest<Person>(where: (\Person.Fields.spendings).any(\.amount > 20_00))
        let sweets = FetchRequest<Spending>(where: (\Spending.Fields.content).contains("creme", .loose))
        #expect(try context.fetch(ofAna) == [dinner])
        #expect(try context.fetch(spenders) == [ana])
        #expect(try context.fetch(sweets) == [creme])

        let (payer, words, limit): (Person?, String?, Int) = (ana, "din", 100_00)
        var filter: TypedPredicate<Spending.Fields> = .all
        if let payer { filter = filter && \.person == payer }
        if let words { filter = filter && (\Spending.Fields.content).contains(words, .loose) }
        filter = filter && \.amount < limit

        var list = FetchRequest<Spending>()
        list.predicate = filter
        list.sortDescriptors = [.descending(\.amount)]
        #expect(try context.fetch(list) == [dinner])

        let text = try FetchPredicate(
            format: "person.name BEGINSWITH[cd] %@ AND amount BETWEEN {%@, %@}", "éva", 1_00, 10_00)
        let between = FetchRequest<Spending>(where: text, sortedBy: [.descending(\.amount)])
        #expect(try context.fetch(between) == [creme])
        #expect(try context.fetch(FetchRequest<Spending>(where: text && \.amount > 5_00)) == [creme])

        let dear = #Predicate<Spending> { $0.person?.name == "Ana" && $0.amount > 20_00 }
        let translated = try FetchPredicate(dear, names: SpendingsSchema.propertyNames)
        #expect(try context.fetch(FetchRequest<Spending>(where: translated)) == [dinner])

        let all = FetchRequest<Spending>()
        for (content, name) in try context.fetchValues(request, \.content, \.person.name) {
            print(content ?? "", name ?? "")
        }
        let names = try context.fetchValues(all, \.person.name, isDistinct: true)
        let totals = try context.fetchGroups(all, by: \.person.name, computing: .sum(\.amount), .count())
        let (sum, average) = try context.fetchAggregates(all, .sum(\.amount), .average(\.amount))
        #expect(names == ["Ana", "Éva"])
        #expect(totals.map(\.values) == ["Ana", "Éva"] && totals.map { $0.aggregates.0 } == [30_00, 6_20])
        #expect(totals.map { $0.aggregates.1 } == [1, 1] && sum == 36_20 && average == 18_10)

        let paths = ["person.name"]
        let untyped = try context.fetchGroups(all, by: paths, .sum("amount"), .count())
        #expect(untyped.map(\.aggregates) == [[.integer(30_00), .integer(1)], [.integer(6_20), .integer(1)]])

        let withPeople = request.prefetching(\.person.spendings)
        #expect(try context.fetch(withPeople) == [dinner])

        let sections = try context.fetchSections(
            all, by: \.person, sortedBy: [.ascending(\.person.name, .localized)])
        #expect(sections.map(\.objects) == [[dinner], [creme]])

        let same = try context.object(Person.self, id: ana.objectID.record)
        #expect(same === ana)

        let inOrder = try ana.spendings.sorted(by: [.ascending(\.content, .localized)])
        #expect(inOrder == [dinner])
    }

    @Test func deleting() throws {
        let folder = try TripFolder()
        let context = ObjectContext(try folder.coordinator())
        let dinner = try context.spend(30_00, on: "Dinner", by: "Ana")
        let ana = try #require(dinner.person)
        try context.save()

        try context.delete(ana)
        #expect(dinner.isDeleted)
        context.rollback()
        #expect(!dinner.isDeleted)

        try context.delete(ana)
        try context.save("delete Ana")
        #expect(try context.liveness(of: dinner.objectID) == .hidden(because: ana.objectID))

        let back = try context.undelete(Person.self, id: ana.objectID.record)
        #expect(back.name == "Ana" && back.spendings.count == 1)
    }

    @Test func batches() throws {
        let folder = try TripFolder()
        let context = ObjectContext(try folder.coordinator())
        let creme = try context.spend(6_20, on: "Crème brûlée", by: "Éva")
        try context.spend(30_00, on: "Dinner", by: "Ana")
        try context.save()

        let small = FetchRequest<Spending>(where: \.amount < 10_00)
        let updated = try context.updateAll(small, [.set(\.content, to: "Small things")])
        let deleted = try context.deleteAll(small, "delete small things")
        #expect(updated == 1 && deleted == 1 && creme.isDeleted)
    }

    @Test func documents() throws {
        let folder = try TripFolder()
        let path = folder.path("trip.xml")
        let document = try ObjectDocument(Schema(json: SpendingsSchema.text), classes: SpendingsSchema.classes)
        try document.context.insert(Person.self).name = "Ana"
        try document.save(as: path, .xml)
        let again = try ObjectDocument(
            opening: path, Schema(json: SpendingsSchema.text), classes: SpendingsSchema.classes)
        #expect(try again.context.fetch(FetchRequest<Person>()).map(\.name) == ["Ana"])
    }

    @Test func inMemory() throws {
        let container = try ObjectContainer(inMemory: SpendingsSchema.self)
        let context = container.newBackgroundContext()
        try context.spend(30_00, on: "Dinner", by: "Ana")
        try context.save()
        let other = container.newBackgroundContext()
        #expect(try other.fetch(FetchRequest<Spending>()).map(\.content) == ["Dinner"])
    }

    @Test @MainActor func containers() async throws {
        let folder = try TripFolder()
        let stack = TripStack(folder.path("trip.roost"))
        let container = try stack.container
        let names = ["Ana", "Bob"]
        let count = try await container.performBackgroundTask { context in
            for name in names { try context.insert(Person.self).name = name }
            return try context.save("import people").inserted.count
        }
        #expect(count == 2)
        #expect(try stack.context.count(FetchRequest<Person>()) == 2)
        #expect(try stack.context === stack.context)
    }

    @Test func partsOfAContainer() throws {
        let folder = try TripFolder()
        let path = folder.path("trip.roost")
        try folder.replica().close()
        let replica = try Replica(opening: path, SpendingsSchema.schema())
        let coordinator = try StoreCoordinator(replica, classes: SpendingsSchema.classes)
        let context = ObjectContext(coordinator)
        #expect(try context.count(FetchRequest<Person>()) == 0)
    }

    @Test func undo() throws {
        let folder = try TripFolder()
        let context = ObjectContext(try folder.coordinator())
        let dinner = try context.spend(30_00, on: "Dinner", by: "Ana")
        try context.save()

        context.undoHistory = UndoHistory(limit: 100)
        context.group("Correct Dinner") {
            dinner.amount = 35_00
            dinner.content = "Dinner and wine"
        }
        try context.save()
        let undone = try context.undo()
        try context.save()
        #expect(undone?.name == "Correct Dinner" && undone?.leftAlone.isEmpty == true)
        #expect(dinner.amount == 30_00)
        #expect(context.undoHistory?.redoNames == ["Correct Dinner"])
    }

    @Test func liveResults() async throws {
        let folder = try TripFolder()
        let coordinator = try folder.coordinator()
        let context = ObjectContext(coordinator)
        var shown: [ResultsUpdate<ObjectID>] = []
        func show(_ update: ResultsUpdate<ObjectID>) { shown.append(update) }

        let request = FetchRequest<Spending>(
            sortedBy: [.ascending(\.person.name, .localized), .ascending(\.amount)])
        let results = try FetchedResultsController(request, in: context, sectionedBy: \.person.name)
        results.onUpdate = { update in show(update) }
        try results.performFetch()
        try context.spend(30_00, on: "Dinner", by: "Ana")
        try context.save()
        #expect(shown.map(\.origins) == [[.thisContext]])
        #expect(shown.last?.difference.sectionInserts.map(\.name) == ["Ana"])
        #expect(try results.object(at: ResultsIndexPath(section: 0, row: 0))?.content == "Dinner")
        var lines: [String] = []
        func print(_ words: Any...) { lines.append(words.map { "\($0)" }.joined(separator: " ")) }
        for (number, section) in results.sections.enumerated() {
            print(section.name ?? "Nobody", section.rowCount)
            for spending in try results.objects(inSection: number, rows: 0..<section.rowCount) {
                print(" ", spending.content, spending.amount)
            }
        }
        #expect(lines == ["Ana 1", "  Dinner 3000"])

        let other = ObjectContext(coordinator)
        let steps = try results.updates()
        try other.spend(6_20, on: "Crème", by: "Éva")
        try other.save()
        for try await step in steps {
            #expect(step.origins == [.otherContext])
            break
        }
    }

    @Test func isolation() async throws {
        let folder = try TripFolder()
        let coordinator = try folder.coordinator()
        let context = ObjectContext(coordinator)
        let dinner = try context.spend(30_00, on: "Dinner", by: "Ana")
        try context.save()

        let totals = Totals(coordinator)
        let amount = try await totals.amount(of: dinner.objectID)
        #expect(amount == 30_00)
    }

    @Test func theEndOfAContext() throws {
        let folder = try TripFolder()
        let coordinator = try folder.coordinator()
        let context = ObjectContext(coordinator)
        try context.spend(30_00, on: "Dinner", by: "Ana")
        try context.save()

        let spending = try #require(try dear(coordinator).first)
        #expect(spending.person?.name == "Ana")
    }

    @Test func merging() throws {
        let folder = try TripFolder()
        let coordinator = try folder.coordinator()
        let context = ObjectContext(coordinator)
        let dinner = try context.spend(30_00, on: "Dinner", by: "Ana")
        try context.save()
        let other = ObjectContext(coordinator)
        let theirs = try #require(try other.object(with: dinner.objectID) as? Spending)
        theirs.amount = 31_00
        try other.save()

        context.mergePolicy = .takeTheirs
        dinner.amount = 35_00
        dinner.content = "Dinner and wine"
        let report = try context.save()
        #expect(report.conflicts.map(\.outcome) == [.tookTheirs(["amount"])])
        #expect(dinner.amount == 31_00 && dinner.content == "Dinner and wine")
    }

    @Test func severalStoresAndChildContexts() throws {
        let folder = try TripFolder()
        let (lisbon, corse) = (try folder.replica("lisbon.roost"), try folder.replica("corse.roost"))

        let coordinator = try StoreCoordinator(lisbon, corse, classes: SpendingsSchema.classes)
        let context = ObjectContext(coordinator)
        let bob = try context.insert(Person.self, into: coordinator.stores[1].id)
        bob.name = "Bob"
        try context.save()
        #expect(try corse.select("SELECT name FROM person") == [[.string("Bob")]])

        let form = ObjectContext(childOf: context)
        let inForm = try #require(try form.object(with: bob.objectID) as? Person)
        inForm.name = "Robert"
        #expect(bob.name == "Bob")
        try form.save()
        #expect(bob.name == "Robert" && bob.hasChanges)
    }

    @Test func whatCannotThrowFailsUntilItIsCorrected() throws {
        let folder = try TripFolder()
        let coordinator = try folder.coordinator()
        let context = ObjectContext(coordinator)
        let dinner = try context.spend(30_00, on: "Dinner", by: "Ana")
        let ana = try #require(dinner.person)
        let stranger = try ObjectContext(coordinator).insert(Person.self)

        dinner.person = stranger
        #expect(context.failure?.code == .foreignObject)
        #expect(throws: ObjectError.self) { try context.save() }
        dinner.person = ana
        try context.save()
        #expect(context.failure == nil)
    }
}
