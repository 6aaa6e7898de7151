import CekikapeyeRules
import RoostModel
import Testing

@testable import CekikapeyeApp

struct NameMatcherTests {
    private func members(_ names: [String]) throws -> [Member] {
        try names.sorted().map { name in
            let id = RecordID(derivedFrom: [name])
            return Member(id: id, personID: try PersonID(bytes: id.bytes), name: name, isActive: true)
        }
    }

    @Test(arguments: [
        ("Ana", "Ana"), ("ANA", "Ana"), ("chl", "Chloé"), ("CHLOE", "Chloé"), ("é", "Émile"), (" bob ", "Bob"),
    ])
    func caseAccentsAndBeginningsDoNotMatter(_ typed: String, _ name: String) throws {
        let matcher = NameMatcher(try members(["Ana", "Bob", "Chloé", "Émile"]))
        #expect(try matcher.find(typed).name == name)
    }

    @Test func wholeNameBeatsBeginnings() throws {
        #expect(try NameMatcher(members(["Ann", "Anna"])).find("ann").name == "Ann")
    }

    @Test func severalFittingNamesAreNamed() throws {
        let members = try members(["Anna", "Anne"])
        let candidates = members.map { "\($0.name) (\($0.shortID))" }
        #expect(throws: BookError.ambiguousPerson("an", candidates: candidates)) { try NameMatcher(members).find("an") }
    }

    @Test func identifierTellsNamesakesApart() throws {
        let members = try members(["Anna", "Anne"])
        #expect(try NameMatcher(members).find(members[1].shortID) == members[1])
    }

    @Test func nobodyFittingIsTold() throws {
        #expect(throws: BookError.unknownPerson("zoe", candidates: ["Ana", "Bob"])) {
            try NameMatcher(members(["Bob", "Ana"])).find("zoe")
        }
    }

    @Test(arguments: ["", "  "])
    func blankNamesFitNobody(_ text: String) throws {
        #expect(throws: BookError.unknownPerson(text, candidates: ["Ana"])) {
            try NameMatcher(members(["Ana"])).find(text)
        }
    }
}
