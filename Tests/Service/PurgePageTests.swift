import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import Testing

/// Pages with identifiers of purged records (protocol.md §7.2).
@Suite struct PurgePageTests {
    private let group: TestGroup
    private var ana: TestDevice
    private var bruno: TestDevice
    private let keys = (10..<310).map { TestGroup.key(TestGroup.id(UInt64($0))) }

    init() async throws {
        group = try TestGroup(store: MemoryStore())
        ana = try await group.owner()
        bruno = try await group.device(ana)
    }

    /// Ana creates and deletes all records of ``keys``. They are purged once Bruno has applied both.
    private mutating func purgeAll() async throws {
        _ = try await ana.push([keys.map { ana.put($0.id) }])
        _ = try await ana.push([keys.map { ana.delete($0.id) }])
        group.waitPastHorizon()
        for _ in 0..<2 {
            _ = try await ana.pull()
            _ = try await bruno.pull()
        }
        #expect(try await group.service.purge() == keys.count)
    }

    private func pages(
        since start: Checkpoint?, bytesMax: Int, takesIdentifiersAlone: Bool
    ) async throws -> [PullReply] {
        var pages: [PullReply] = []
        var since = start
        while pages.last?.hasMore ?? true {
            pages.append(
                try await bruno.page(
                    since: since, bytesMax: bytesMax, takesIdentifiersAlone: takesIdentifiersAlone))
            since = pages.last?.checkpoint
        }
        return pages
    }

    @Test mutating func identifiersCountInTheLimitOfAPage() async throws {
        try await purgeAll()
        let pages = try await pages(since: bruno.checkpoint, bytesMax: 1, takesIdentifiersAlone: true)
        #expect(pages.count > 1)
        #expect(pages.allSatisfy { $0.protobuf().count < 2048 })
        #expect(pages.flatMap(\.purged).sorted() == keys.sorted())
    }

    private static let family = """
        {"format": 1, "name": "notes", "version": 1, "entities": [
          {"id": 1, "name": "Note", "attributes": [{"id": 1, "name": "title", "type": "string"}], "relationships": [
            {"id": 10, "name": "parent", "kind": "toOne", "destination": "Note", "inverse": "children"},
            {"id": 11, "name": "children", "kind": "toMany", "destination": "Note", "inverse": "parent",
             "deleteRule": "cascade"}]}]}
        """

    /// The children of a deleted note would reappear between two pages, together with the note that another device has written
    /// again.
    @Test func identifiersOfChildrenComeBeforeTheirParent() async throws {
        let group = try TestGroup(store: MemoryStore())
        var ana = try await TestDevice(
            group,
            group.service.createScope(name: "Lisbon", device: "Ana", schema: Self.family, nonce: "owner-nonce"))
        let bruno = try await group.device(ana)
        let parent = TestGroup.id(1)
        _ = try await ana.push(ana.put(parent))
        let child = Put(references: [.init(relationship: PropertyID(10), target: parent)]).encoded()
        _ = try await ana.push([keys.map { Change(key: $0, stamp: ana.stamp(), kind: .put(child, base: nil)) }])
        _ = try await ana.push(ana.delete(parent))
        group.waitPastHorizon()
        let start = try await bruno.page(since: nil).checkpoint
        _ = try await bruno.page(since: start)
        for _ in 0..<2 { _ = try await ana.pull() }
        #expect(try await group.service.purge() == keys.count + 1)
        _ = try await ana.push(ana.put(parent))
        var page = try await bruno.page(since: start, bytesMax: 1)
        var names = page.purged
        while page.records.isEmpty {
            page = try await bruno.page(since: page.checkpoint, bytesMax: 1)
            names += page.purged
        }
        #expect(page.records.map(\.key) == [TestGroup.key(parent)])
        #expect(page.purged.contains(TestGroup.key(parent)))
        #expect(Set(names) == Set(keys + [TestGroup.key(parent)]))
    }

    /// While Bruno pulls everything, a push arrives that was made at a checkpoint from before identifiers that are forgotten. The
    /// pages have the whole of its record, because Bruno forgets what he had at that checkpoint.
    @Test mutating func pushFromBeforeForgottenIdentifiersIsSentBack() async throws {
        let edited = TestGroup.id(1)
        _ = try await ana.push(ana.put(edited))
        _ = try await ana.push(ana.put(TestGroup.id(2)))
        _ = try await bruno.pull()
        let old = bruno.checkpoint
        try await purgeAll()
        for _ in 0..<2 {
            _ = try await ana.pull()
            _ = try await bruno.pull()
        }
        _ = try await group.service.purge()
        #expect(await refusal { try await bruno.page(since: old) } == .resyncRequired)
        var page = try await bruno.page(since: nil, bytesMax: 1)
        #expect(page.hasMore)
        let delete = bruno.delete(edited)
        bruno.checkpoint = old
        _ = try await bruno.push(delete)
        var states = page.records
        while page.hasMore {
            page = try await bruno.page(since: page.checkpoint, bytesMax: 1)
            states += page.records
        }
        let last = states.last { $0.key == delete.key }
        #expect(last?.put != nil)
        #expect(last?.delete == delete.stamp)
    }

    @Test mutating func identifiersAndRecordsShareTheLimitOfAPage() async throws {
        try await purgeAll()
        for number: UInt64 in 1...3 { _ = try await ana.push(ana.put(TestGroup.id(number))) }
        let pages = try await pages(since: bruno.checkpoint, bytesMax: 1, takesIdentifiersAlone: true)
        #expect(pages.allSatisfy { $0.purged.isEmpty || $0.records.isEmpty })
        #expect(pages.flatMap(\.purged).count == keys.count)
        #expect(pages.flatMap(\.records).count == 3)
    }

    @Test(arguments: [true, false])
    mutating func clientThatCountsRecordsOnlyGetsPagesThatItAccepts(isScopeEmpty: Bool) async throws {
        if !isScopeEmpty { _ = try await ana.push(ana.put(TestGroup.id(1))) }
        try await purgeAll()
        let pages = try await pages(since: bruno.checkpoint, bytesMax: 1, takesIdentifiersAlone: false)
        #expect(pages.allSatisfy { !$0.hasMore || !$0.records.isEmpty })
        #expect(pages.flatMap(\.purged).sorted() == keys.sorted())
        #expect(pages.count > 1 || isScopeEmpty)
    }

    @Test mutating func pageWithAPushReplyFollowsTheLimitToo() async throws {
        try await purgeAll()
        var request = PushRequest(number: bruno.number + 1, checkpoint: bruno.checkpoint, transactions: [])
        request.transactions = [.init(changes: [bruno.put(TestGroup.id(1))])]
        let reply = try await bruno.pushAndPull(request, since: bruno.checkpoint, bytesMax: 1)
        #expect(reply.page.map { $0.hasMore && $0.records.isEmpty && $0.purged.count < keys.count } == true)
    }

    /// Identifiers come early and the records late in the log, so the records are sent together with the identifiers.
    @Test(arguments: [true, false])
    mutating func recordsWrittenAgainCountInTheLimitOfAPage(takesIdentifiersAlone: Bool) async throws {
        try await purgeAll()
        for key in keys { _ = try await ana.push(ana.put(key.id, String(repeating: "a", count: 1000))) }
        let pages = try await pages(
            since: bruno.checkpoint, bytesMax: 20_000, takesIdentifiersAlone: takesIdentifiersAlone)
        #expect(pages.allSatisfy { $0.protobuf().count < 100_000 })
        #expect(pages.flatMap(\.purged).count == keys.count)
        #expect(Set(pages.flatMap(\.records).map(\.key)) == Set(keys))
        for page in pages {
            #expect(Set(page.purged).isSubset(of: Set(page.records.map(\.key))))
        }
    }
}
