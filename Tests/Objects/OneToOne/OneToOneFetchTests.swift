import Foundation
import Objects
import Replica
import RoostModel
import Testing

/// Predicates, orders, prefetches, sections and sums through a single end.
@Suite struct OneToOneFetchTests {
    private let library: TestLibrary
    private let context: ObjectContext
    /// Ana has passport 3 of the three that refer to her, Bob has number 4, Eva has none.
    private let holders: [Holder]

    init() throws {
        library = try OneToOneTests.registry()
        let writer = library.context()
        let made = try ["Ana", "Bob", "Eva"].map { try OneToOneTests.holder($0, in: writer) }
        let passports = try (1...4).map { number in
            let passport = try OneToOneTests.passport("\(number)", in: writer)
            passport.pages = Int64(number * 10)
            for country in ["A", "B"].prefix(number % 3) {
                let visa = try writer.insert(Visa.self)
                visa.country = country
                visa.passport = passport
            }
            return passport
        }
        made[0].pupil = made[1]
        try writer.save()
        for (index, passport) in passports.enumerated() {
            let one = FetchRequest<Passport>(where: try FetchPredicate(format: "SELF == %@", passport))
            try writer.updateAll(one, ["holder": .data(made[index / 3].objectID.record.bytes)])
        }
        context = library.context()
        holders = try context.fetch(FetchRequest<Holder>(sortedBy: [.ascending(\.name)]))
    }

    private func names(_ predicate: FetchPredicate) throws -> String {
        try context.fetch(FetchRequest<Holder>(where: predicate, sortedBy: [.ascending(\.name)])).map(\.name)
            .joined(separator: " ")
    }

    @Test(arguments: [
        ("passport.number == '3'", "Ana"), ("passport.number == '1'", ""), ("passport.number != '3'", "Bob Eva"),
        ("NOT passport.number == '3'", "Bob Eva"), ("passport == nil", "Eva"), ("passport != nil", "Ana Bob"),
        ("passport.pages BETWEEN {20, 35}", "Ana"), ("passport.number IN {'1', '4'}", "Bob"),
        ("passport.@count == 3", "Ana"), ("passport.@sum.pages == 60", "Ana"),
        ("SUBQUERY(passport, $p, $p.pages < 25).@count == 2", "Ana"),
        ("passport.visas.@count == 0", "Ana Eva"), ("ANY passport.visas.country == 'A'", "Bob"),
        ("pupil.passport.number == '4'", "Ana"), ("mentor.passport.pages > passport.pages", ""),
        ("mentor.passport.pages < passport.pages", "Bob"), ("passport.holder == SELF", "Ana Bob"),
    ])
    func selects(_ text: String, _ expected: String) throws {
        #expect(try names(try FetchPredicate(format: text)) == expected)
    }

    @Test func typedAndFoundationPredicates() throws {
        #expect(try names(FetchPredicate(\Holder.Fields.passport.number == "3")) == "Ana")
        #expect(try names(FetchPredicate((\Holder.Fields.pupil.passport.visas).count() == 1)) == "Ana")
        let foundation = #Predicate<Holder> { $0.passport?.number == "4" }
        #expect(try names(try FetchPredicate(foundation, names: RegistrySchema.propertyNames)) == "Bob")
        let passport = try #require(holders[1].passport)
        #expect(try names(FetchPredicate(\Holder.Fields.passport == passport)) == "Bob")
    }

    @Test func anyNeedsSeveral() throws {
        let error = #expect(throws: FetchPredicateError.self) {
            try names(try FetchPredicate(format: "ANY passport.number == '3'"))
        }
        #expect(error?.code == .multiplicity)
    }

    @Test(arguments: [
        [FetchSortDescriptor.ascending("passport.number")], [.descending("passport.pages")],
        [.ascending("passport")], [.ascending("mentor.passport.number"), .descending("name")],
    ])
    func orderIsThatOfSortingInMemory(_ order: [FetchSortDescriptor]) throws {
        let fetched = try context.fetch(FetchRequest<Holder>(sortedBy: order))
        #expect(try holders.reversed().sorted(by: order) == fetched)
    }

    @Test func valuesAndGroups() throws {
        let rows = try context.fetchValues(FetchRequest<Holder>(sortedBy: [.ascending(\.name)]), ["passport.number"])
        #expect(rows == [[.string("3")], [.string("4")], [.null]])
        let groups = try context.fetchGroups(
            FetchRequest<Visa>(), by: ["passport.holder.passport.number"], .count())
        #expect(groups.map(\.values) == [[.string("3")], [.string("4")]])
        #expect(groups.map(\.aggregates) == [[.integer(3)], [.integer(1)]])
    }

    @Test func aListCostsOneQueryForAll() throws {
        let reads = context.readCount
        #expect(holders.map { $0.passport?.number } == ["3", "4", nil])
        #expect(context.readCount - reads == 1)
        let other = library.context()
        var request = FetchRequest<Holder>(sortedBy: [.ascending(\.name)])
        request.prefetchedRelationships = ["passport"]
        let found = try other.fetch(request)
        let read = other.readCount
        #expect(found.map { $0.passport?.number } == ["3", "4", nil])
        #expect(other.readCount == read)
    }

    @Test func indexesServe() throws {
        let plan = try library.replica.select(
            """
            EXPLAIN QUERY PLAN SELECT t0.id FROM holder AS t0 LEFT JOIN passport AS t1
            ON t1.id = (SELECT max(s.id) FROM passport AS s WHERE s.holder = t0.id) WHERE t1.number = '3'
            """
        ).map { "\($0[3])" }
        #expect(plan.contains { $0.contains("SEARCH s USING") && $0.contains("(holder=?)") })
        #expect(!plan.contains { $0.contains("SCAN s") || $0.contains("SCAN t1") })
    }

    @Test func liveResultsFollowTheOtherSide() throws {
        let controller = try FetchedResultsController(
            FetchRequest<Holder>(sortedBy: [.ascending("passport.number"), .ascending("name")]), in: context,
            sectionedBy: "passport.number")
        try controller.performFetch()
        let without = try FetchedResultsController(
            FetchRequest<Holder>(where: try FetchPredicate(format: "passport == nil")), in: context)
        try without.performFetch()
        #expect(controller.snapshot.sections.map(\.name) == [nil, "3", "4"])
        #expect(without.snapshot.sections.flatMap(\.rows) == [holders[2].objectID])
        holders[2].passport = holders[1].passport
        try context.save()
        #expect(controller.snapshot.sections.map(\.name) == [nil, "3", "4"])
        #expect(controller.snapshot.sections.map(\.rows) == [1, 0, 2].map { [holders[$0].objectID] })
        #expect(without.snapshot.sections.flatMap(\.rows) == [holders[1].objectID])
    }
}
