import Testing
import Transport

@Suite struct ServerAddressTests {
    static let accepted = [
        ("https://roost.example.org", "https://roost.example.org"),
        ("HTTPS://Roost.Example.ORG:8443/", "https://roost.example.org:8443"),
        ("https://roost.example.org:443", "https://roost.example.org"),
        ("https://192.0.2.7:1", "https://192.0.2.7:1"),
        ("https://[2001:db8::1]:65535", "https://[2001:db8::1]:65535"),
        ("https://xn--rst-0nab.example", "https://xn--rst-0nab.example"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://127.255.3.4:80", "http://127.255.3.4"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://[0:0:0:0:0:0:0:1]", "http://[0:0:0:0:0:0:0:1]"),
    ]

    static let refused: [(String, AddressError.Problem)] = [
        ("", .noScheme), ("roost.example.org", .noScheme), ("//roost.example.org", .noScheme),
        ("ftp://roost.example.org", .otherScheme), ("file:///etc/passwd", .hasPath), ("://a", .otherScheme),
        ("http://roost.example.org", .insecure), ("http://127.0.0.1.evil.example", .insecure),
        ("http://localhost.evil.example", .insecure), ("http://192.168.1.1", .insecure), ("http://[::2]", .insecure),
        ("http://[::ffff:127.0.0.1]", .insecure), ("http://128.0.0.1", .insecure),
        ("https://user@roost.example.org", .hasCredentials), ("https://user:pass@roost.example.org", .hasCredentials),
        ("http://127.0.0.1@evil.example", .hasCredentials), ("https://@roost.example.org", .hasCredentials),
        ("https://roost.example.org\\@evil.example", .badCharacter), ("https://röst.example", .badCharacter),
        ("https://roost.example.org\r\n", .badCharacter), (" https://roost.example.org", .badCharacter),
        ("https://", .badHost), ("https://.", .badHost), ("https://a..b", .badHost),
        ("https://roost.example.org.", .badHost),
        ("https://-a.example", .badHost), ("https://a%2Eexample", .badHost), ("https://[::1", .badHost),
        ("https://[fe80::1%25eth0]", .badHost), ("https://[::1]x", .badHost), ("https://2130706433", .badHost),
        ("https://0x7f.1", .badHost), ("https://127.1", .badHost), ("http://0177.0.0.1", .badHost),
        ("https://127.0.0.256", .badHost), ("https://1.2.3.4.5", .badHost),
        ("https://roost.example.org:", .badPort), ("https://roost.example.org:0", .badPort),
        ("https://roost.example.org:65536", .badPort), ("https://roost.example.org:+80", .badPort),
        ("https://roost.example.org:80:80", .badPort), ("https://::1", .badHost),
        ("https://roost.example.org/path", .hasPath), ("https://roost.example.org//", .hasPath),
        ("https://roost.example.org?", .hasQuery), ("https://roost.example.org/?a=b", .hasQuery),
        ("https://roost.example.org#", .hasFragment), ("https://roost.example.org/#a?b", .hasFragment),
        ("https://" + String(repeating: "a.", count: 2000) + "example", .tooLong),
    ]

    @Test(arguments: accepted)
    func addressIsWrittenInOneWay(text: String, expected: String) throws {
        let address = try ServerAddress(text)
        #expect(address.description == expected)
        #expect(try ServerAddress(address.description) == address)
    }

    @Test(arguments: refused)
    func otherTextIsRefused(text: String, problem: AddressError.Problem) {
        #expect { try ServerAddress(text) } throws: { ($0 as? AddressError)?.problem == problem }
    }

    @Test(arguments: AddressError.Problem.allCases)
    func refusalSaysWhatToDo(problem: AddressError.Problem) throws {
        let error = try #require(Self.error(for: problem))
        #expect(error.description.hasPrefix("Cannot use this server address: "))
        #expect(error.description.hasSuffix("."))
        #expect(!error.description.contains("pass@"))
    }

    private static func error(for problem: AddressError.Problem) -> AddressError? {
        let invites = ["https://a.example/x#t", "https://a.example/join", "https://a.example/join#t%20"]
        for text in refused.map(\.0) + invites {
            do throws(AddressError) {
                if invites.contains(text) { _ = try InviteLink(text) } else { _ = try ServerAddress(text) }
            } catch  where error.problem == problem {
                return error
            } catch {}
        }
        return nil
    }
}
