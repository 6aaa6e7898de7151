import RoostModel
import RoostProtocol
import Testing

@Suite struct ControlTests {
    @Test func registrationComesBack() throws {
        let registration = Registration(
            scope: ScopeID(Samples.id), scopeName: "Corse", replica: Samples.replica, token: "secret", role: .owner,
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
