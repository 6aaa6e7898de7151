import RoostModel
import RoostProtocol
import RoostService
import Testing

/// Limits on everything in a scope that can grow.
@Suite struct GrowthTests {
    private static func code(_ result: PushReply.Result?) -> ErrorCode? {
        if case .refused(let refusal)? = result { refusal.code } else { nil }
    }

    @Test func stagedPartsAreLimitedForTheScope() async throws {
        let group = try TestGroup { $0.stagedBytesPerScopeMax = 3000 }
        var owner = try await group.owner()
        var device = try await group.device(owner)
        let text = String(repeating: "x", count: 2000)
        let first = try await device.push([[device.put(TestGroup.id(1), text)]], continues: true)
        #expect(first.results == [.staged])
        let second = try await owner.push([[owner.put(TestGroup.id(2), text)]], continues: true)
        #expect(Self.code(second.results.first) == .quotaExceeded)
        // The other parts of a refused transaction are refused, too.
        let rest = try await owner.push(owner.put(TestGroup.id(3)))
        #expect(Self.code(rest.results.first) == .badRequest)
        // Whole transactions are still accepted.
        let whole = try await owner.push(owner.put(TestGroup.id(4), text))
        #expect(Self.code(whole.results.first) == nil)
        try await group.service.revoke(device.member.replica, by: owner.member)
        let third = try await owner.push([[owner.put(TestGroup.id(5), text)]], continues: true)
        #expect(third.results == [.staged])
    }

    /// A transaction of several pushes is larger than one push may be. Its rows are encoded while they are written, and do not
    /// differ from those of a small transaction.
    @Test func largeTransactionIsMergedWhole() async throws {
        let group = try TestGroup()
        var owner = try await group.owner()
        var reader = try await group.device(owner)
        _ = try await owner.pull()
        for part: UInt64 in 0..<3 {
            var changes: [Change] = []
            for number in 0..<8000 as Range<UInt64> { changes.append(owner.put(TestGroup.id(part * 8000 + number))) }
            for number in 0..<10 as Range<UInt64> where part == 2 { changes.append(owner.delete(TestGroup.id(number))) }
            let reply = try await owner.push([changes], continues: part < 2)
            #expect(part < 2 ? reply.results == [.staged] : Self.code(reply.results.first) == nil)
        }
        let head = try group.service.head(for: owner.member)
        #expect(head.sequence == 1)
        #expect(head.records == 24_000)
        let page = try await reader.pull()
        #expect(page.records.count == 24_000)
        #expect(page.records.filter { $0.delete != nil }.count == 10)
        var digest = ScopeDigest()
        for record in page.records { digest.replace(SlotStamps(), with: record.stamps, of: record.key) }
        #expect(digest == head.digest)
        // The owner wrote all of it.
        #expect(try await owner.pull().records.isEmpty)
    }

    @Test func transactionsAreLimited() async throws {
        let group = try TestGroup { $0.transactionsPerScopeMax = 2 }
        var owner = try await group.owner()
        for number: UInt64 in 1...2 {
            let reply = try await owner.push(owner.put(TestGroup.id(number)))
            #expect(Self.code(reply.results.first) == nil)
        }
        let reply = try await owner.push(owner.put(TestGroup.id(3)))
        #expect(Self.code(reply.results.first) == .quotaExceeded)
        #expect(try group.service.head(for: owner.member).sequence == 2)
    }

    @Test func fewClosedInvitesAreKept() async throws {
        let group = try TestGroup()
        let owner = try await group.owner()
        for _ in 0..<150 {
            let invite = try await group.service.createInvite(role: .editor, hours: nil, uses: 1, by: owner.member)
            try await group.service.revokeInvite(invite.id, by: owner.member)
        }
        let last = try await group.service.createInvite(role: .editor, hours: nil, uses: 1, by: owner.member)
        let kept = try group.store.read { try $0.invites(of: owner.member.scope) }
        #expect(kept.count == 101)
        #expect(kept.contains { $0.id == last.id })
        #expect(try group.service.invites(for: owner.member).map(\.id) == [last.id])
    }
}
