import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct AccessTests {
    private let group: TestGroup
    private var owner: TestDevice

    init() async throws {
        group = try TestGroup()
        owner = try await group.owner()
    }

    private func invite(_ role: Role = .editor, hours: Int? = nil, uses: Int = 1) async throws -> Token {
        let invite = try await group.service.createInvite(role: role, hours: hours, uses: uses, by: owner.member)
        return Token(invite.token ?? "") ?? group.noToken
    }

    private func join(_ invite: Token, nonce: String = "some-nonce") async throws -> Registration {
        try await group.service.join(invite: invite, device: "Bruno", nonce: nonce)
    }

    // MARK: Scopes and invites

    @Test func sameNonceMakesOneScope() async throws {
        #expect(try await group.registration(nonce: "scope-nonce") == group.registration(nonce: "scope-nonce"))
        #expect(
            try await group.registration(nonce: "other-nonce").scope != group.registration(nonce: "scope-nonce").scope)
    }

    @Test func sameNonceJoinsOnce() async throws {
        let invite = try await invite()
        #expect(try await join(invite) == join(invite))
        #expect(try group.service.devices(for: owner.member).count == 2)
    }

    @Test func otherNonceFindsTheInviteUsed() async throws {
        let invite = try await invite()
        _ = try await join(invite)
        #expect(await refusal { try await join(invite, nonce: "other-nonce") } == .inviteUsed)
    }

    @Test func answerIsForgottenAfterTenMinutes() async throws {
        let invite = try await invite()
        _ = try await join(invite)
        group.clock.advance(milliseconds: 10 * 60 * 1000)
        #expect(await refusal { try await join(invite) } == .inviteUsed)
    }

    /// A repeated request whose answer has expired is a new request. The token of the first one still belongs to its replica.
    @Test func tokenStaysThatOfItsReplica() async throws {
        let invite = try await invite(uses: 2)
        let joined = try await join(invite)
        let device = try await TestDevice(group, joined)
        let renewed = try await group.service.renew(device.member, reason: "copied", nonce: "renewal-nonce")
        let made = try await group.registration(nonce: "scope-nonce")
        group.clock.advance(milliseconds: 10 * 60 * 1000)
        _ = try await join(invite)
        _ = try await group.service.renew(device.member, reason: "copied", nonce: "renewal-nonce")
        _ = try await group.registration(nonce: "scope-nonce")
        for registration in [joined, renewed, made] {
            let member = try await group.service.member(try #require(Token(registration.token)))
            #expect(member.replica == registration.replica)
        }
    }

    /// An invalid invite is found by a read of the store.
    @Test func aJoinThatIsRefusedIsNoCommit() async throws {
        let store = CountingStore(MemoryStore())
        let group = try TestGroup(store: store)
        let owner = try await group.owner()
        let made = try await group.service.createInvite(role: .editor, hours: nil, uses: 1, by: owner.member)
        let invite = try #require(Token(made.token ?? ""))
        _ = try await group.service.join(invite: invite, device: "Bruno", nonce: "some-nonce")
        let before = store.writes
        for token in [invite, Token(.invite) { _ in [UInt8](repeating: 5, count: 32) }] {
            let code = await refusal {
                try await group.service.join(invite: token, device: "Carla", nonce: "other-nonce")
            }
            #expect(code == (token == invite ? .inviteUsed : .unauthorized))
        }
        #expect(store.writes == before)
        _ = try await group.service.join(invite: invite, device: "Bruno", nonce: "some-nonce")
        #expect(store.writes == before + 1)
    }

    @Test func expiredInviteIsUsed() async throws {
        let invite = try await invite(hours: 1)
        group.clock.advance(milliseconds: 3_600_000)
        #expect(await refusal { try await join(invite) } == .inviteUsed)
    }

    @Test func revokedInviteIsUsed() async throws {
        let invite = try await invite()
        let id = try #require(try group.service.invites(for: owner.member).first?.id)
        try await group.service.revokeInvite(id, by: owner.member)
        #expect(await refusal { try await join(invite) } == .inviteUsed)
        #expect(try group.service.invites(for: owner.member).isEmpty)
    }

    @Test func inviteForTwoIsUsedTwice() async throws {
        let invite = try await invite(uses: 2)
        _ = try await join(invite, nonce: "nonce-one")
        _ = try await join(invite, nonce: "nonce-two")
        #expect(await refusal { try await join(invite, nonce: "nonce-three") } == .inviteUsed)
    }

    @Test func oneOfSixtyFourParallelJoinsWins() async throws {
        let group = try TestGroup(commits: .thread)
        let owner = try await group.owner()
        let text = try await group.service.createInvite(role: .editor, hours: nil, uses: 1, by: owner.member).token
        let invite = try #require(Token(text ?? ""))
        let wins = await withTaskGroup(of: Bool.self) { tasks in
            for number in 0..<64 {
                tasks.addTask {
                    let result = try? await group.service.join(invite: invite, device: "x", nonce: "nonce-\(number)-x")
                    return result != nil
                }
            }
            return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
        group.service.stop()
    }

    @Test func unknownInviteIsUnauthorized() async throws {
        let invite = Token(.invite) { _ in [UInt8](repeating: 1, count: 32) }
        #expect(await refusal { try await join(invite) } == .unauthorized)
    }

    @Test(arguments: [(0, 1), (721, 1), (1, 0), (1, 65)])
    func inviteHasBounds(hours: Int, uses: Int) async throws {
        #expect(await refusal { try await invite(hours: hours, uses: uses) } == .badRequest)
    }

    @Test func openInvitesAreLimited() async throws {
        for _ in 0..<20 { _ = try await invite() }
        #expect(await refusal { try await invite() } == .quotaExceeded)
    }

    @Test func devicesAreLimited() async throws {
        let group = try TestGroup { $0.replicasPerScopeMax = 2 }
        let owner = try await group.owner()
        _ = try await group.device(owner)
        #expect(await refusal { try await group.device(owner) } == .quotaExceeded)
    }

    @Test(arguments: ["", "   ", "a\u{7}b", String(repeating: "x", count: 101)])
    func nameMustBeReadable(name: String) async throws {
        let result = await refusal {
            try await group.service.createScope(
                name: name, device: "Ana", schema: TestGroup.schema, nonce: "name-nonce")
        }
        #expect(result == .badRequest)
    }

    /// A letter with combining marks is one character of any size, so a name is limited to 16 bytes for each character that it
    /// may have.
    @Test(arguments: [(700, true), (900, false), (1_000_000, false)])
    func nameOfMarksHasALimit(marks: Int, isName: Bool) async throws {
        var scalars = "a".unicodeScalars
        for index in 0..<marks { scalars.append(index.isMultiple(of: 2) ? "\u{301}" : "\u{316}") }
        let name = String(scalars)
        let invite = try await invite(uses: 2)
        let codes = [
            await refusal {
                try await group.service.createScope(
                    name: name, device: "Ana", schema: TestGroup.schema, nonce: "scope-of-marks")
            },
            await refusal {
                try await group.service.createScope(
                    name: "Lisbon", device: name, schema: TestGroup.schema, nonce: "device-of-marks")
            },
            await refusal { try await group.service.join(invite: invite, device: name, nonce: "join-of-marks") },
        ]
        #expect(codes == [ErrorCode?](repeating: isName ? nil : .badRequest, count: 3))
    }

    // MARK: Roles

    @Test(arguments: [Role.viewer, .editor])
    func onlyOwnersManage(role: Role) async throws {
        let member = try await group.device(owner, role: role).member
        let service = group.service
        #expect(
            await refusal { try await service.createInvite(role: .viewer, hours: nil, uses: 1, by: member) }
                == .forbidden)
        #expect(await refusal { try service.invites(for: member) } == .forbidden)
        #expect(await refusal { try await service.revoke(owner.member.replica, by: member) } == .forbidden)
        #expect(await refusal { try await service.setRole(.owner, of: member.replica, by: member) } == .forbidden)
        #expect(await refusal { try await service.publishSchema(TestGroup.schema, by: member) } == .forbidden)
    }

    @Test func lastOwnerStays() async throws {
        let service = group.service
        let own = owner.member
        #expect(await refusal { try await service.setRole(.editor, of: own.replica, by: own) } == .lastOwner)
        #expect(await refusal { try await service.revoke(own.replica, by: own) } == .lastOwner)
    }

    @Test func oneOfTwoOwnersMayGo() async throws {
        let second = try await group.device(owner, role: .owner)
        try await group.service.setRole(.viewer, of: owner.member.replica, by: second.member)
        #expect(
            await refusal { try await group.service.setRole(.editor, of: second.member.replica, by: second.member) }
                == .lastOwner)
    }

    @Test func loweredRoleTakesEffectAtOnce() async throws {
        var device = try await group.device(owner)
        _ = try await device.push(device.put(TestGroup.id(1)))
        try await group.service.setRole(.viewer, of: device.member.replica, by: owner.member)
        #expect(await refusal { try await device.push(device.put(TestGroup.id(2))) } == .forbidden)
    }

    @Test func deviceOfAnotherScopeIsNotFound() async throws {
        let other = try await TestDevice(group, group.registration(nonce: "another-nonce"))
        #expect(await refusal { try await group.service.revoke(other.member.replica, by: owner.member) } == .notFound)
    }

    // MARK: Revocation

    @Test func revokedDeviceDoesNothingMore() async throws {
        var device = try await group.device(owner)
        let waiter = try #require(group.service.waitingRoom.enter(device.member.replica, in: device.member.scope))
        try await group.service.revoke(device.member.replica, by: owner.member)
        #expect(await waiter.wait() == .revoked)
        #expect(await refusal { try await group.service.member(device.token) } == .revoked)
        #expect(await refusal { try await device.push(device.put(TestGroup.id(1))) } == .revoked)
        #expect(await refusal { try await device.page(since: nil) } == .revoked)
    }

    @Test func nothingIsStoredAfterARevocation() async throws {
        let group = try TestGroup(commits: .thread)
        let owner = try await group.owner()
        let device = try await group.device(owner)
        let service = group.service
        let pusher = Task {
            var device = device
            while (try? await device.push(device.put(TestGroup.id(device.number)))) != nil {}
        }
        while try service.head(for: owner.member).sequence < 20 { await Task.yield() }
        try await service.revoke(device.member.replica, by: owner.member)
        let after = try service.head(for: owner.member).sequence
        await pusher.value
        #expect(try service.head(for: owner.member).sequence == after)
        service.stop()
    }
}
