import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import Testing

/// A device asks a server that was restored from a backup which of its tokens the server knows (protocol.md §8.3).
@Suite struct KnownTokenTests {
    private let store = MemoryStore()
    private let group: TestGroup
    private let owner: TestDevice

    init() async throws {
        group = try TestGroup(store: store)
        owner = try await group.owner()
    }

    /// Returns a server on the backup, in the state that `roost-server restore` leaves.
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

    /// Every earlier token of a device is refused once any of its identities is revoked.
    @Test func noEarlierTokenLetsARevokedDeviceIn() async throws {
        let device = try await group.device(owner)
        let first = try await renew(device, "first-nonce")
        let rotated = try await group.service.rotate(first.token, of: first.member)
        _ = try await group.service.member(rotated)
        let second = try await renew(device, "second-nonce")
        _ = try await group.service.revoke(second.member.replica, by: owner.member)
        // An unknown token comes before them, as after a restore.
        for token in [second.token, rotated, first.token, device.token] {
            let known = try group.service.known([group.noToken.hash, token.hash])
            #expect(known?.index == 1 && known?.replica == nil)
            #expect(await refusal { try await group.service.member(token) } == .revoked)
        }
    }

    /// A question about a replaced token is not reported as theft. The server does not count that token as known.
    @Test func aReplacedTokenIsNotKnown() async throws {
        let device = try await group.device(owner)
        let new = try await group.service.rotate(device.token, of: device.member)
        _ = try await group.service.member(new)
        #expect(try group.service.known([device.token.hash]) == nil)
        #expect(try group.service.known([device.token.hash, new.hash])?.index == 1)
        _ = try await group.service.member(new)
        #expect(group.events.all == [])
    }

    /// A thief of a token file has the device's earlier tokens, too.
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
        // The device's current token works until the new one is used. Tokens of other devices are unaffected.
        for token in [second.token, other.token, owner.token, new] { _ = try await group.service.member(token) }
        let isStolen = group.events.all.contains { if case .stolenToken = $0 { true } else { false } }
        #expect(!isStolen)
    }

    /// In an earlier backup the token is current, in a later one it has been replaced.
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
