import RoostModel
import RoostProtocol
import Testing

@Suite struct ControlTests {
    private static let token = "roost_d_0123456789abcdefghijklmnopqrstuvABCD"

    /// It would be stored as good, and no request could be sent with it.
    @Test(arguments: [
        "", "x\r\nX-Evil: 1", "roost_d_", "roost_i_0123456789abcdefghijklmnopqrstuvABCD", token + "0", token + "\n",
        "roost_d_0123456789abcdefghijklmnopqrstuvAB D", "roost_d_0123456789abcdefghijklmnopqrstuvABC\u{1B}",
        "roost_d_0123456789abcdefghijklmnopqrstuvABCé", String(repeating: "a", count: 100_000),
    ])
    func registrationWithATokenThatIsNoneIsRefused(token: String) throws {
        let registration = Registration(
            scope: ScopeID(Samples.id), scopeName: "Corse", replica: Samples.replica, token: token, role: .owner,
            schema: "{}", serverTime: 5)
        let error = #expect(throws: CodingError.self) { try Registration(json: registration.json) }
        #expect(error?.reason == "The registration, \"token\" is a string, expected a device token (protocol.md §8.3).")
    }

    @Test func namesAreCutToWhatTheProtocolAllows() throws {
        let name = String(repeating: "N", count: 5_000_000)
        let registration = Registration(
            scope: ScopeID(Samples.id), scopeName: name, replica: Samples.replica, token: Self.token, role: .owner,
            schema: "{}", serverTime: 5)
        #expect(try Registration(json: registration.json).scopeName.count == 100)
        let device = Device(
            replica: Samples.replica, name: name, role: .viewer, created: 1, lastSeen: 2, isRevoked: false)
        #expect(try Device(json: device.json).name.count == 100)
    }
    @Test func registrationComesBack() throws {
        let registration = Registration(
            scope: ScopeID(Samples.id), scopeName: "Corse", replica: Samples.replica, token: Self.token, role: .owner,
            schema: "{}", serverTime: 5)
        #expect(try Registration(json: registration.json) == registration)
    }

    @Test(arguments: [nil, "secret"])
    func inviteComesBack(token: String?) throws {
        let invite = Invite(id: "i", token: token, role: .editor, expires: 5, usesLeft: 1)
        #expect(try Invite(json: invite.json) == invite)
    }

    @Test(arguments: [true, false])
    func deviceComesBack(isRevoked: Bool) throws {
        let device = Device(
            replica: Samples.replica, name: "Ana's phone", role: .viewer, created: 1, lastSeen: 2, isRevoked: isRevoked)
        #expect(try Device(json: device.json) == device)
    }

    @Test(arguments: [
        ProtocolError(.clockAhead, "Cannot push.", serverTime: 5, retryAfter: 3, requestID: "r"),
        ProtocolError(.gone, "Cannot edit."),
    ])
    func errorComesBack(_ error: ProtocolError) throws {
        #expect(try ProtocolError(json: error.json) == error)
    }

    @Test func rolesGrow() {
        #expect(Role.allCases.sorted() == [.viewer, .editor, .owner])
    }

    @Test func memberThatIsMissingIsNamed() {
        let error = #expect(throws: CodingError.self) { try Device(json: .object([])) }
        #expect(error?.reason == "The device has no \"replica\", expected 16 hexadecimal digits.")
    }
}
