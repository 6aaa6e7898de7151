import RoostModel
import RoostProtocol
import RoostService
import Testing

@Suite struct TokenTests {
    private let group: TestGroup
    private let owner: TestDevice

    init() async throws {
        group = try TestGroup()
        owner = try await group.owner()
    }

    // MARK: Form

    @Test func tokenReadsBack() {
        #expect(Token(owner.token.text) == owner.token)
        #expect(owner.token.text.hasPrefix("roost_d_"))
        #expect(owner.token.text.utf8.count == 44)
    }

    @Test(arguments: 0..<44)
    func changedCharacterIsNoticed(place: Int) {
        var characters = Array(owner.token.text)
        characters[place] = characters[place] == "7" ? "8" : "7"
        #expect(Token(String(characters)) == nil)
    }

    @Test(arguments: ["", "roost_d_", "roost_d_ä", "Bearer x"])
    func textThatIsNoTokenIsNone(text: String) {
        #expect(Token(text) == nil)
    }

    // MARK: Rotation

    @Test func bothTokensWorkUntilTheNewOneIsUsed() async throws {
        let new = try await group.service.rotate(owner.token, of: owner.member)
        _ = try await group.service.member(owner.token)
        #expect(try await group.service.member(new) == owner.member)
    }

    @Test func oldTokenShownAfterTheNewOneRevokesTheDevice() async throws {
        let device = try await group.device(owner)
        let new = try await group.service.rotate(device.token, of: device.member)
        _ = try await group.service.member(new)
        #expect(await refusal { try await group.service.member(device.token) } == .revoked)
        #expect(await refusal { try await group.service.member(new) } == .revoked)
    }

    @Test func oldTokenDiesAfterADayWithoutHarm() async throws {
        let new = try await group.service.rotate(owner.token, of: owner.member)
        // The old token is in use from here on, and still expires.
        _ = try await group.service.member(owner.token)
        group.clock.advance(milliseconds: 24 * 3_600_000)
        #expect(await refusal { try await group.service.member(owner.token) } == .unauthorized)
        _ = try await group.service.member(new)
    }

    @Test func rotationWhoseAnswerWasLostCanBeRepeated() async throws {
        let lost = try await group.service.rotate(owner.token, of: owner.member)
        let new = try await group.service.rotate(owner.token, of: owner.member)
        #expect(await refusal { try await group.service.member(lost) } == .unauthorized)
        _ = try await group.service.member(new)
    }

    /// The client stores the token before it asks, so it has the token even if the reply is lost.
    @Test func tokenThatTheClientProposesIsTheNewOne() async throws {
        let proposed = Token(.device) { _ in [UInt8](repeating: 7, count: 32) }
        for _ in 0..<2 {
            #expect(try await group.service.rotate(owner.token, to: proposed, of: owner.member) == proposed)
        }
        #expect(try await group.service.member(proposed) == owner.member)
        // A token in use cannot be proposed.
        let other = try await group.device(owner)
        #expect(
            await refusal { try await group.service.rotate(other.token, to: proposed, of: other.member) } == .badRequest
        )
        let invite = Token(.invite) { _ in [UInt8](repeating: 8, count: 32) }
        #expect(
            await refusal { try await group.service.rotate(other.token, to: invite, of: other.member) } == .badRequest)
    }

    @Test func unknownTokenIsUnauthorized() async throws {
        #expect(await refusal { try await group.service.member(group.noToken) } == .unauthorized)
    }

    // MARK: Renewal

    @Test func renewedReplicaBeginsAnew() async throws {
        var device = try await group.device(owner)
        _ = try await device.push(device.put(TestGroup.id(1)))
        let registration = try await group.service.renew(device.member, reason: "forked", nonce: "renew-nonce")
        #expect(try await group.service.renew(device.member, reason: "forked", nonce: "renew-nonce") == registration)
        #expect(registration.role == .editor)
        var renewed = try await TestDevice(group, registration)
        #expect(renewed.member.replica != device.member.replica)
        _ = try await renewed.push(renewed.put(TestGroup.id(2)))
        _ = try await device.push(device.put(TestGroup.id(3)))
    }

    @Test func renewedReplicaIsSentWhatTheOldOneWrote() async throws {
        var device = try await group.device(owner)
        _ = try await device.pull()
        _ = try await device.push(device.put(TestGroup.id(1)))
        let registration = try await group.service.renew(device.member, reason: "restored", nonce: "renew-nonce")
        var renewed = try await TestDevice(group, registration)
        renewed.checkpoint = device.checkpoint
        #expect(try await renewed.pull().records.count == 1)
    }
}
