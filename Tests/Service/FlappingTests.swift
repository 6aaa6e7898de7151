import RoostModel
import RoostProtocol
import RoostService
import Testing

/// A record that is repeatedly put and deleted.
@Suite struct FlappingTests {
    @Test func aRecordThatComesAndGoesTakesNoRoom() async throws {
        let group = try TestGroup { $0.changesPerHourMax = 1_000_000 }
        var owner = try await group.owner()
        let reader = try await group.device(owner)
        let id = TestGroup.id(1)
        var bytes: [Int] = []
        for _ in 0..<20 {
            let changes = (0..<500).map { $0.isMultiple(of: 2) ? owner.put(id, "\($0)") : owner.delete(id) }
            let reply = try await owner.push(changes.map { [$0] })
            #expect(reply.results.count == 500)
            let head = try group.service.head(for: owner.member)
            #expect(head.records == 1)
            bytes.append(head.bytes)
        }
        #expect(Set(bytes).count == 1)
        let page = try await reader.page(since: nil)
        #expect(page.records.count == 1 && !page.hasMore)
        #expect(page.records.first?.delete != nil)
    }
}
