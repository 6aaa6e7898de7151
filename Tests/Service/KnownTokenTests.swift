import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import Testing

/// A device asks which of its tokens a server knows that was restored from a backup (protocol.md §8.3).
@Suite struct KnownTokenTests {
    private let store = MemoryStore()
    private let group: TestGroup
    private let owner: TestDevice

    init() async throws {
        group = try TestGroup(store: store)
        owner = try await group.owner()
    }

    /// A backup as `roost-server restore` leaves it.
    private func restore(_ backup: MemoryStore, seed: UInt64 = 8) throws -> TestGroup {
        let random = RandomSource(SplitMix64(state: seed))
        _ = try backup.write { transaction in
            try RecoveryHandler(limits: Limits(), random: random).beginAll(in: transaction, now: group.clock.now)
        }
        return try group.restarted(on: backup, seed: seed)
    }

    private func renew(_ device: TestDevice, _ nonce: String, on group: TestGroup? = nil) async throws -> TestDevice {
        let group = group ?? self.group
        let member = try await group.service.member(device.token)
        return try await TestDevice(group, group.service.renew(member, reason: "restored", nonce: nonce))
    }

    @Test func theFirstTokenThatIsKnownIsNamed() async throws {
        let device = try await group.device(owner)
        let backup = store.copy()
        let renewed = try await renew(device, "first-nonce")
        #expect(try group.service.known([renewed.token.hash, device.token.hash])?.index == 0)
        let restored = try restore(backup)
        #expect(await refusal { try await restored.service.member(renewed.token) } == .unauthorized)
        let known = try restored.service.known([renewed.token.hash, device.token.hash])
        #expect(known?.index == 1 && known?.replica == device.member.replica)
        _ = try await renew(device, "second-nonce", on: restored)
        #expect(try restored.service.known([group.noToken.hash]) == nil)
    }

    /// Every earlier token of a device is refused once it is revoked, by whichever identity that was done.
    @Test func noEarlierTokenLetsARevokedDeviceIn() async throws {
        let device = try await group.device(owner)
        let first = try await renew(device, "first-nonce")
        let rotated = try await group.service.rotate(first.token, of: first.member)
        _ = try await group.service.member(rotated)
        let second = try await renew(device, "second-nonce")
        _ = try await group.service.revoke(second.member.replica, by: owner.member)
        // One that the server does not know comes before them, as after a restore.
        for token in [second.token, rotated, first.token, device.token] {
            let known = try group.service.known([group.noToken.hash, token.hash])
            #expect(known?.index == 1 && known?.replica == nil)
            #expect(await refusal { try await group.service.member(token) } == .revoked)
        }
    }

    /// Asking is no theft, and a token that was replaced is none to go on with.
    @Test func aReplacedTokenIsNotKnown() async throws {
        let device = try await group.device(owner)
        let new = try await group.service.rotate(device.token, of: device.member)
        _ = try await group.service.member(new)
        #expect(try group.service.known([device.token.hash]) == nil)
        #expect(try group.service.known([device.token.hash, new.hash])?.index == 1)
        _ = try await group.service.member(new)
        #expect(group.events.all == [])
    }

    /// A reader of a token file has its earlier tokens as well.
    @Test func aRotationEndsTheTokensOfEarlierIdentities() async throws {
        let device = try await group.device(owner)
        let first = try await renew(device, "first-nonce")
        let second = try await renew(first, "second-nonce")
        let other = try await group.device(owner)
        let former = [device.token, first.token, second.token, other.token, owner.token].map(\.hash)
        let new = try await group.service.rotate(second.token, endingAlso: former, of: second.member)
        for token in [device.token, first.token] {
            #expect(await refusal { try await group.service.member(token) } == .unauthorized)
        }
        // Its own works until the new one is used, and nobody else's is ended by it.
        for token in [second.token, other.token, owner.token, new] { _ = try await group.service.member(token) }
        let isStolen = group.events.all.contains { if case .stolenToken = $0 { true } else { false } }
        #expect(!isStolen)
    }

    /// The earlier backup knows the token before a rotation, the later one knows it as replaced.
    @Test func aReplacedTokenRevokesNobodyWhileTheScopeRecovers() async throws {
        let device = try await group.device(owner)
        let new = try await group.service.rotate(device.token, of: device.member)
        _ = try await group.service.member(new)
        let restored = try restore(store.copy())
        #expect(await refusal { try await restored.service.member(device.token) } == .unauthorized)
        _ = try await restored.service.member(new)
        let report = SyncService.Event.stolenToken(
            scope: device.member.scopeID, replica: device.member.replica, isRevoked: false)
        #expect(restored.events.all == [report])
        group.clock.advance(milliseconds: 30 * TestGroup.dayMilliseconds)
        #expect(await refusal { try await restored.service.member(device.token) } == .revoked)
    }
}
