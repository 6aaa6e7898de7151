import RoostModel
import RoostProtocol
import RoostService
import Testing

/// Revoking a device also revokes everything that could outlast it.
@Suite struct RevocationTests {
    private let group: TestGroup
    private let owner: TestDevice

    init() async throws {
        group = try TestGroup()
        owner = try await group.owner()
    }

    private func renew(_ device: TestDevice, _ nonce: String = "renew-nonce") async throws -> TestDevice {
        try await TestDevice(group, group.service.renew(device.member, reason: "copied", nonce: nonce))
    }

    private func invite(_ role: Role = .editor, uses: Int = 1, by device: TestDevice) async throws -> Token {
        let invite = try await group.service.createInvite(role: role, hours: nil, uses: uses, by: device.member)
        return Token(invite.token ?? "") ?? group.noToken
    }

    private func join(_ invite: Token, nonce: String) async throws -> TestDevice {
        try await TestDevice(group, group.service.join(invite: invite, device: "Carla", nonce: nonce))
    }

    private func isMember(_ device: TestDevice) async -> Bool {
        await refusal { try await group.service.member(device.token) } == nil
    }

    @Test(arguments: [false, true]) func renewalsGoWithTheirDevice(byRenewal: Bool) async throws {
        let device = try await group.device(owner)
        let renewed = try await renew(device)
        let again = try await renew(renewed, "another-nonce")
        let waiter = try #require(group.service.waitingRoom.enter(again.member.replica, in: owner.member.scope))
        let target = byRenewal ? again : device
        #expect(try await group.service.revoke(target.member.replica, by: owner.member).isEmpty)
        #expect(await waiter.wait() == .revoked)
        for token in [device.token, renewed.token, again.token] {
            #expect(await refusal { try await group.service.member(token) } == .revoked)
        }
        #expect(await isMember(owner))
    }

    @Test func openInvitesGoWithTheirMaker() async throws {
        let device = try await group.device(owner, role: .owner)
        let (open, used) = (try await invite(.owner, uses: 3, by: device), try await invite(by: renew(device)))
        let own = try await invite(by: owner)
        let guest = try await join(used, nonce: "guest-nonce")
        let other = try await join(open, nonce: "other-nonce")
        let invited = try await group.service.revoke(device.member.replica, by: owner.member)
        #expect(Set(invited.map(\.replica)) == [guest.member.replica, other.member.replica])
        #expect(invited.allSatisfy { $0.inviter == device.member.replica })
        #expect(await refusal { try await join(open, nonce: "late-nonce") } == .inviteUsed)
        #expect(await isMember(guest))
        #expect(await isMember(other))
        _ = try await join(own, nonce: "own-nonce")
    }

    /// The devices that a revoked device invited, directly or indirectly, are revoked as well on demand. The device that asks
    /// never is.
    @Test func thoseThatWereInvitedGoOnDemand() async throws {
        let first = try await group.device(owner, role: .owner)
        let second = try await join(invite(.owner, by: first), nonce: "second-nonce")
        let third = try await join(invite(by: second), nonce: "third-nonce")
        let other = try await group.device(owner)
        let renewed = try await renew(third)
        #expect(
            try await group.service.revoke(first.member.replica, withInvited: true, by: owner.member).isEmpty)
        for device in [first, second, third, renewed] { #expect(await !isMember(device)) }
        for device in [owner, other] { #expect(await isMember(device)) }
    }

    @Test func aDeviceRevokesWhoInvitedItAndStays() async throws {
        let second = try await join(invite(.owner, by: owner), nonce: "second-nonce")
        #expect(
            try await group.service.revoke(owner.member.replica, withInvited: true, by: second.member).map(\.replica)
                == [second.member.replica])
        #expect(await isMember(second))
        #expect(await !isMember(owner))
    }

    /// A device with a lowered role cannot invite, and its earlier invites are invalid.
    @Test func aLoweredOwnerTakesItsInvitesAlong() async throws {
        let device = try await group.device(owner, role: .owner)
        let renewed = try await renew(device)
        let token = try await invite(.owner, by: device)
        try await group.service.setRole(.viewer, of: renewed.member.replica, by: owner.member)
        #expect(await refusal { try await join(token, nonce: "late-nonce") } == .inviteUsed)
        #expect(await refusal { try await invite(by: device) } == .forbidden)
        #expect(try group.service.devices(for: owner.member).filter { $0.role == .viewer }.count == 2)
    }

    /// A renewed identity does not count as a second owner.
    @Test func theLastOwnerIsCountedAsADevice() async throws {
        let renewed = try await renew(owner)
        for replica in [owner.member.replica, renewed.member.replica] {
            #expect(await refusal { try await group.service.revoke(replica, by: owner.member) } == .lastOwner)
            #expect(
                await refusal { try await group.service.setRole(.editor, of: replica, by: owner.member) } == .lastOwner)
        }
    }

    @Test func aRenewalTakesNoSlotAndHasALimit() async throws {
        let group = try TestGroup { limits in
            limits.replicasPerScopeMax = 2
            limits.renewalsPerDayMax = 3
        }
        let owner = try await group.owner()
        var device = try await group.device(owner)
        for number in 0..<3 {
            device = try await TestDevice(
                group, group.service.renew(device.member, reason: "copied", nonce: "nonce-of-\(number)"))
        }
        let last = device
        #expect(
            await refusal { try await group.service.renew(last.member, reason: "", nonce: "nonce-of-4") }
                == .tooManyRequests)
        // A new request does not get the answer to an earlier one.
        _ = try await group.service.renew(owner.member, reason: "copied", nonce: "nonce-of-5")
        group.clock.advance(milliseconds: TestGroup.dayMilliseconds)
        _ = try await group.service.renew(last.member, reason: "copied", nonce: "nonce-of-6")
        let invite = try await group.service.createInvite(role: .editor, hours: nil, uses: 1, by: owner.member)
        let token = Token(invite.token ?? "") ?? group.noToken
        #expect(
            await refusal { try await group.service.join(invite: token, device: "Carla", nonce: "join-nonce") }
                == .quotaExceeded)
        let devices = try group.service.devices(for: owner.member)
        #expect(Set(devices.map { $0.device ?? $0.replica }).count == 2)
    }

    /// A thief of an old token of the last owner could otherwise lock the scope permanently.
    @Test func anOldTokenDoesNotLockTheLastOwnerOut() async throws {
        let new = try await group.service.rotate(owner.token, of: owner.member)
        _ = try await group.service.member(new)
        for _ in 0..<2 {
            #expect(await refusal { try await group.service.member(owner.token) } == .unauthorized)
        }
        _ = try await group.service.member(new)
        #expect(
            group.events.all
                == [.stolenToken(scope: owner.member.scopeID, replica: owner.member.replica, isRevoked: false)])
    }

    @Test func anOldTokenOfAnotherDeviceRevokesAllOfIt() async throws {
        let device = try await group.device(owner, role: .owner)
        let renewed = try await renew(device)
        let open = try await invite(by: renewed)
        let new = try await group.service.rotate(device.token, of: device.member)
        _ = try await group.service.member(new)
        #expect(await refusal { try await group.service.member(device.token) } == .revoked)
        #expect(await refusal { try await group.service.member(renewed.token) } == .revoked)
        #expect(await refusal { try await join(open, nonce: "late-nonce") } == .inviteUsed)
    }

    // MARK: Secrets

    /// The stored data of a registration do not suffice to make its token.
    @Test func theStoreDoesNotGiveTokens() async throws {
        let store = group.store
        let secret = [UInt8](repeating: 7, count: 32)
        func service(_ tokenSecret: [UInt8], seed: UInt64) throws -> SyncService {
            try SyncService(
                store, limits: Limits(), commits: .inline, now: { [clock = group.clock] in clock.now },
                random: SplitMix64(state: seed), tokenSecret: tokenSecret)
        }
        func scope(_ service: SyncService) async throws -> Registration {
            try await service.createScope(
                name: "Porto", device: "Ana", schema: TestGroup.schema, nonce: "porto-nonce")
        }
        let first = try await scope(service(secret, seed: 1))
        #expect(try await scope(service(secret, seed: 2)) == first)
        // With the store and the request but another secret, only useless tokens can be made.
        let other = try await scope(service([UInt8](repeating: 8, count: 32), seed: 3))
        #expect(other.token != first.token)
        #expect(other.scope != first.scope)
    }
}
