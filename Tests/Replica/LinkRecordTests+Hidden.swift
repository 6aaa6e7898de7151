import Replica
import RoostModel
import TestScope
import Testing

/// Links whose identifiers do not follow from their ends, of programs that hide a link in the transaction that makes it.
extension LinkRecordTests {
    /// A link hangs off a spending, and a spending off a person. The tables of links have the number 2 << 16 | 3.
    private static let trip = #"""
        {"format": 1, "name": "trip", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
            {"id": 2, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person",
             "deleteRule": "cascade"}]},
          {"id": 2, "name": "Spending", "attributes": [{"id": 1, "name": "content", "type": "string"}], "relationships": [
            {"id": 2, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"},
            {"id": 3, "name": "tags", "kind": "manyToMany", "destination": "Tag", "inverse": "spendings"}]},
          {"id": 3, "name": "Tag", "attributes": [{"id": 1, "name": "word", "type": "string"}], "relationships": [
            {"id": 2, "name": "spendings", "kind": "manyToMany", "destination": "Spending", "inverse": "tags"}]}]}
        """#

    private static let links = EntityID(2 << 16 | 3)
    /// An identifier that SQLite may have generated.
    private static let generated = RecordKey(entity: links, id: RecordID(high: 0x1234, low: 0x5678))

    private static func derived(_ spending: Int, _ tag: Int) -> RecordKey {
        let id = Schema.linkID(
            of: links, source: RecordID(high: 0, low: UInt64(spending)), target: RecordID(high: 0, low: UInt64(tag)))
        return RecordKey(entity: links, id: id)
    }

    /// Returns the links of a file in either form, sorted: the digits of the identifier and of both ends.
    private func links(_ file: TemporaryReplica) throws -> [String] {
        let columns = ["id", "source", "target"].map { "CASE typeof(\($0)) WHEN 'blob' THEN hex(\($0)) ELSE \($0) END" }
        return try file.texts("SELECT lower(\(columns.joined(separator: " || ' ' || "))) FROM spending_tags ORDER BY 1")
    }

    private func expected(_ pairs: [(Int, Int)]) -> [String] {
        pairs.map { spending, tag in
            [
                Self.derived(spending, tag).id, RecordID(high: 0, low: UInt64(spending)),
                RecordID(high: 0, low: UInt64(tag)),
            ]
            .map(\.digits).joined(separator: " ")
        }.sorted()
    }

    /// Fills a file: a person 1 with a spending 2, and tags 3, 4 and 5. The spending has the tags 4 and 5.
    private func fill(_ file: TemporaryReplica, _ form: IdentifierForm = .bytes) throws {
        try file.sql(
            Self.text(
                """
                INSERT INTO person(id, name) VALUES (<1>, 'Ana'); INSERT INTO spending(id, content, person) VALUES (<2>, 'Taxi', <1>);
                INSERT INTO tag(id, word) VALUES (<3>, 'a'), (<4>, 'b'), (<5>, 'c');
                INSERT INTO spending_tags(source, target) VALUES (<2>, <4>), (<2>, <5>)
                """, form))
    }

    /// Replaces numbers in angle brackets by identifiers in the form of a file.
    private static func text(_ statements: String, _ form: IdentifierForm) -> String {
        (1...9).reduce(statements) { text, number in
            text.replacing("<\(number)>", with: form.literal(RecordID(high: 0, low: UInt64(number))))
        }
    }

    private func undeleteAll(_ file: TemporaryReplica) throws {
        try file.replica.settle()
        let names = [EntityID(1): "Person", EntityID(2): "Spending", EntityID(3): "Tag"]
        let deleted = try file.replica.deleted().map(\.key)
        try file.replica.write("undelete") { transaction in
            for key in deleted {
                if let name = names[key.entity] { try transaction.undelete(name, id: key.id) }
            }
        }
    }

    private func expectOneLinkEach(_ replicas: [TemporaryReplica], _ pairs: [(Int, Int)]) throws {
        for file in replicas {
            #expect(try links(file) == expected(pairs))
            #expect(try file.replica.digest() == replicas[0].replica.digest())
            #expect(try file.replica.status().waiting == 0)
            #expect(try file.replica.status().unfit == 0)
            #expect(try file.replica.check().isSound)
        }
    }

    // MARK: Hidden before Roost has read them

    /// Transactions that follow each other, in which no program of Roost runs.
    struct Hiding: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let transactions: [String]
        /// The links in the end, once the ends are shown again and the link of 2 and 3 is made on another device.
        var pairs = [(2, 3), (2, 4), (2, 5)]
    }

    private static let link = "INSERT INTO spending_tags(source, target) VALUES (<2>, <3>)"

    static let hidings = [
        Hiding(testDescription: "by its source", transactions: ["\(link); DELETE FROM spending"]),
        Hiding(testDescription: "by its target", transactions: ["\(link); DELETE FROM tag WHERE id = <3>"]),
        Hiding(testDescription: "by both ends", transactions: ["\(link); DELETE FROM spending; DELETE FROM tag"]),
        Hiding(testDescription: "by a grandparent", transactions: ["\(link); DELETE FROM person"]),
        Hiding(testDescription: "by a later transaction", transactions: [link, "DELETE FROM person"]),
        Hiding(testDescription: "made twice", transactions: ["\(link); \(link); DELETE FROM person"]),
        Hiding(
            testDescription: "among other transactions",
            transactions: [
                "INSERT INTO tag(id, word) VALUES (<6>, 'd')", link, "UPDATE spending SET content = 'Bus'",
                "DELETE FROM person", "INSERT INTO tag(id, word) VALUES (<7>, 'e')",
            ]),
        Hiding(
            testDescription: "removed and made again",
            transactions: [
                "DELETE FROM spending_tags; \(link), (<2>, <4>), (<2>, <5>); DELETE FROM person"
            ]),
        Hiding(
            testDescription: "edited",
            transactions: ["UPDATE spending_tags SET target = <3> WHERE target = <4>; DELETE FROM person"],
            pairs: [(2, 3), (2, 5)]),
        Hiding(
            testDescription: "swapped",
            transactions: [
                "UPDATE spending_tags SET target = CASE target WHEN <4> THEN <5> ELSE <4> END; DELETE FROM spending"
            ]),
        Hiding(
            testDescription: "undone before Roost reads it",
            transactions: ["\(link); DELETE FROM person; INSERT INTO person(id, name) VALUES (<1>, 'Ana')"]),
        Hiding(
            testDescription: "undone, and made again",
            transactions: ["\(link); DELETE FROM person; INSERT INTO person(id, name) VALUES (<1>, 'Ana')", link]),
    ]

    @Test(arguments: hidings, IdentifierForm.allCases)
    func aLinkThatIsHiddenAtOnceIsOneRecord(_ hiding: Hiding, _ form: IdentifierForm) throws {
        try expectOneRecord(hiding, form, MemoryScope())
    }

    /// Each push has one change, so that a transaction is sent in parts.
    @Test(arguments: hidings) func aLinkThatIsHiddenAtOnceIsOneRecordInManyPushes(_ hiding: Hiding) throws {
        try expectOneRecord(hiding, .bytes, MemoryScope(changesPerPush: 1))
    }

    private func expectOneRecord(_ hiding: Hiding, _ form: IdentifierForm, _ scope: MemoryScope) throws {
        let first = try TemporaryReplica(Self.trip, identifiers: form)
        let second = try TemporaryReplica(Self.trip, id: 2)
        try fill(first, form)
        for file in [first, second] { try scope.synchronise(file.replica) }
        for statements in hiding.transactions { try first.sql(Self.text(statements, form)) }
        for file in [first, second] { try scope.synchronise(file.replica) }
        try undeleteAll(second)
        try second.sql(Self.text(Self.link, .bytes))
        for file in [second, first, second, first] { try scope.synchronise(file.replica) }
        try expectOneLinkEach([first, second], hiding.pairs)
        let ids = Set(hiding.pairs.map { Self.derived($0.0, $0.1) })
        for (key, state) in scope.states where key.entity == Self.links && state.stamps.own == .put {
            #expect(ids.contains(key))
        }
    }

    /// The library writes a link under another identifier, of an end that is hidden.
    @Test func aLinkThatTheLibraryRestoresOutOfSightIsOneRecord() throws {
        let (first, second) = (try TemporaryReplica(Self.trip), try TemporaryReplica(Self.trip, id: 2))
        let scope = MemoryScope()
        try fill(first)
        let key = Self.generated
        let value = IdentifierForm.bytes.literal(key.id)
        // The link is deleted by its own delete, and keeps its identifier.
        try first.sql(
            Self.text(
                """
                INSERT INTO spending_tags(id, source, target) VALUES (\(value), <2>, <3>);
                DELETE FROM spending_tags WHERE id = \(value)
                """, .bytes))
        for file in [first, second] { try scope.synchronise(file.replica) }
        try second.sql("DELETE FROM person")
        try second.replica.write("undelete") { try $0.undelete("Spending_tags", id: key.id) }
        for file in [second, first] { try scope.synchronise(file.replica) }
        try undeleteAll(first)
        try first.sql(Self.text(Self.link, .bytes))
        for file in [first, second, first] { try scope.synchronise(file.replica) }
        try expectOneLinkEach([first, second], [(2, 3), (2, 4), (2, 5)])
    }

    // MARK: Random programs

    /// Three devices on which programs link, unlink, and delete an end in one transaction, and undelete. In the end all show equal
    /// links, each pair once.
    @Test func linksOfProgramsThatDeleteTheirEndsArriveOnce() throws {
        for seed in 1...25 as ClosedRange<UInt64> {
            var random = SplitMix64(state: seed)
            let forms: [IdentifierForm] = [.bytes, .text, .bytes]
            let files = try forms.enumerated().map { index, form in
                try TemporaryReplica(Self.trip, id: UInt64(index + 1), identifiers: form)
            }
            let scope = MemoryScope()
            try fill(files[0])
            try files[0].sql(
                Self.text(
                    "INSERT INTO spending(id, content, person) VALUES (<6>, 'Boat', <1>), (<7>, 'Tea', <1>)", .bytes))
            for file in files { try scope.synchronise(file.replica) }
            for _ in 0..<12 {
                let place = Int.random(in: 0..<3, using: &random)
                let statements = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.statement(&random) }
                try files[place].sql(Self.text(statements.joined(separator: ";"), forms[place]))
                if Int.random(in: 0...3, using: &random) == 0 { try undeleteAll(files[place]) }
                if Bool.random(using: &random) { try scope.synchronise(files[place].replica) }
            }
            for file in files { try scope.synchronise(file.replica) }
            try undeleteAll(files[0])
            for file in files + files + files { try scope.synchronise(file.replica) }
            let shown = try links(files[0])
            #expect(shown == expected(Self.allPairs).filter(Set(shown).contains), "seed \(seed)")
            for file in files {
                #expect(try links(file) == shown, "seed \(seed)")
                #expect(try file.replica.digest() == files[0].replica.digest(), "seed \(seed)")
                #expect(try file.replica.status().waiting == 0, "seed \(seed)")
            }
        }
    }

    private static let allPairs = [2, 6, 7].flatMap { spending in [3, 4, 5].map { (spending, $0) } }

    private static func statement(_ random: inout SplitMix64) -> String {
        let spending = "<\([2, 6, 7][Int.random(in: 0...2, using: &random)])>"
        let tag = "<\(Int.random(in: 3...5, using: &random))>"
        return switch Int.random(in: 0...9, using: &random) {
        case 0...3: "INSERT INTO spending_tags(source, target) SELECT \(spending), \(tag)"
        case 4: "DELETE FROM spending_tags WHERE source = \(spending)"
        case 5: "UPDATE spending_tags SET target = \(tag) WHERE source = \(spending)"
        case 6: "DELETE FROM spending WHERE id = \(spending)"
        case 7: "DELETE FROM tag WHERE id = \(tag)"
        case 8: "DELETE FROM person"
        default:
            "INSERT INTO person(id, name) SELECT <1>, 'Ana' WHERE NOT EXISTS (SELECT 1 FROM person WHERE id = <1>)"
        }
    }
}
