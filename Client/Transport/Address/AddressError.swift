/// The reason why a text is not a server address or invite link. The error omits the text, which may contain a password
/// or a token.
package struct AddressError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: String, Hashable, Sendable, CaseIterable {
        case tooLong, badCharacter, noScheme, otherScheme, hasCredentials, badHost, badPort, insecure
        case hasPath, hasQuery, hasFragment, notAnInvite, noToken, badToken
    }

    package let problem: Problem

    init(_ problem: Problem) {
        self.problem = problem
    }

    package var description: String { "Cannot use this server address: \(reason)" }

    /// The reason, and the advice to the user.
    private var reason: String {
        switch problem {
        case .tooLong: "it is longer than \(URLParts.bytesMax) bytes. Check what was pasted."
        case .badCharacter:
            "it contains a space, a control character, a backslash or a letter outside ASCII. "
                + "Write an international name in its \"xn--\" form."
        case .noScheme: "it does not start with \"https://\". Write it as in \"https://roost.example.org\"."
        case .otherScheme: "its scheme is neither https nor http. Write it as in \"https://roost.example.org\"."
        case .hasCredentials:
            "it contains a user name or password before an \"@\". Remove them; a device is known by its token."
        case .badHost:
            "its host is no DNS name, full IPv4 address or bracketed IPv6 address. Check its spelling."
        case .badPort: "its port is not a number from 1 to 65535. Correct it, or leave it out."
        case .insecure:
            "http is only allowed to this machine (localhost, 127.0.0.1, [::1]), because others could listen. Use https."
        case .hasPath: "it has a path, and a server stands at the root of its host. Remove what follows the host."
        case .hasQuery: "it has a query. Remove the \"?\" and what follows it."
        case .hasFragment: "it has a fragment. Remove the \"#\" and what follows it, or join with it as an invite link."
        case .notAnInvite: "an invite link has the path \"/join\". Ask for the link again."
        case .noToken: "the invite link has no token after \"#\". Ask for the link again."
        case .badToken: "the token of the invite link has characters that no token has. Ask for the link again."
        }
    }
}
