import Testing
import Transport

@Suite struct InviteLinkTests {
    static let refused: [(String, AddressError.Problem)] = [
        ("https://roost.example.org/join", .noToken), ("https://roost.example.org/join#", .noToken),
        ("https://roost.example.org/#ri_abc", .notAnInvite), ("https://roost.example.org/join/#ri_abc", .notAnInvite),
        ("https://roost.example.org/join?x#ri_abc", .hasQuery), ("https://roost.example.org/join#a/b", .badToken),
        ("https://roost.example.org/join#a#b", .badToken), ("https://u@roost.example.org/join#a", .hasCredentials),
        ("http://roost.example.org/join#ri_abc", .insecure), ("https://roost.example.org/join#a b", .badCharacter),
        ("https://roost.example.org/join#" + String(repeating: "a", count: 257), .badToken),
    ]

    @Test func linkIsAddressAndToken() throws {
        let invite = try InviteLink("https://Roost.example.org:8443/join#ri_AbC-9")
        #expect(invite.server == (try ServerAddress("https://roost.example.org:8443")))
        #expect(invite.token == "ri_AbC-9")
        #expect(invite.link == "https://roost.example.org:8443/join#ri_AbC-9")
    }

    @Test func descriptionKeepsTheTokenToItself() throws {
        let invite = try InviteLink("https://roost.example.org/join#ri_secret")
        #expect(invite.description == "https://roost.example.org/join#…")
    }

    @Test(arguments: refused)
    func otherTextIsRefused(text: String, problem: AddressError.Problem) {
        #expect { try InviteLink(text) } throws: { ($0 as? AddressError)?.problem == problem }
    }
}
