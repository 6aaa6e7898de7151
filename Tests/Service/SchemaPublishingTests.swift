import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct SchemaPublishingTests {
    private let group: TestGroup
    private let owner: TestDevice

    init() async throws {
        group = try TestGroup()
        owner = try await group.owner()
    }

    private func schema(version: Int, name: String = "title") -> String {
        TestGroup.schema.replacing("\"version\": 1", with: "\"version\": \(version)")
            .replacing("\"title\"", with: "\"\(name)\"")
    }

    @Test func nextVersionIsInForceAndWakesPulls() async throws {
        let waiter = try #require(group.service.waitingRoom.enter(owner.member.replica, in: owner.member.scope))
        #expect(try await group.service.publishSchema(schema(version: 2, name: "heading"), by: owner.member) == 2)
        #expect(await waiter.wait() == .schema)
        #expect(try group.service.schema(for: owner.member).version == 2)
        #expect(try await owner.page(since: nil).schemaVersion == 2)
    }

    @Test(arguments: [0, 1, 3])
    func otherVersionIsAConflict(version: Int) async throws {
        let text = schema(version: version, name: "heading")
        let code = await refusal { try await group.service.publishSchema(text, by: owner.member) }
        #expect(code == (version == 0 ? .schemaInvalid : .schemaConflict))
    }

    @Test func sameFileAgainIsAccepted() async throws {
        #expect(try await group.service.publishSchema(TestGroup.schema, by: owner.member) == 1)
    }

    @Test func schemaWithProblemsIsInvalid() async throws {
        #expect(await refusal { try await group.service.publishSchema("{}", by: owner.member) } == .schemaInvalid)
    }

    /// A schema is read before its commit begins, so an invalid one delays no other commit.
    @Test func schemaWithProblemsIsNoCommit() async throws {
        let store = CountingStore(MemoryStore())
        let group = try TestGroup(store: store)
        let owner = try await group.owner()
        let before = store.writes
        var marks = "n".unicodeScalars
        for index in 0..<50_000 { marks.append(index.isMultiple(of: 2) ? "\u{301}" : "\u{316}") }
        for text in ["{}", TestGroup.schema.replacing("\"title\"", with: "\"\(String(marks))\"")] {
            #expect(await refusal { try await group.service.publishSchema(text, by: owner.member) } == .schemaInvalid)
            let made = await refusal {
                try await group.service.createScope(name: "Rome", device: "Ana", schema: text, nonce: "some-nonce")
            }
            #expect(made == .schemaInvalid)
        }
        #expect(store.writes == before)
    }

    @Test func attributeMayNotChangeItsType() async throws {
        let text = schema(version: 2).replacing("\"string\"", with: "\"integer\"")
        #expect(await refusal { try await group.service.publishSchema(text, by: owner.member) } == .schemaInvalid)
    }

    @Test func recordsReadUnderTheNewNames() async throws {
        var device = owner
        _ = try await device.push(device.put(TestGroup.id(1), "Lunch"))
        _ = try await group.service.publishSchema(schema(version: 2, name: "heading"), by: owner.member)
        let page = try await group.service.pull(PageRequest(since: nil), as: .json, for: owner.member)
        let record = try JSONParser.parse(page)["records"]?.arrayValue?.first
        #expect(record?["put"]?["heading"]?.stringValue == "Lunch")
    }
}
