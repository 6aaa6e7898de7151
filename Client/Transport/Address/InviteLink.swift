/// A link that lets a device join a scope: `https://host[:port]/join#<token>`.
///
/// The token is the fragment, which no program sends or logs by itself. ``description`` omits it too.
package struct InviteLink: Hashable, Sendable, CustomStringConvertible {
    package static let tokenBytesMax = 256

    package let server: ServerAddress
    /// The token, a secret.
    package let token: String

    package init(server: ServerAddress, token: String) throws(AddressError) {
        guard Self.isToken(token[...]) else { throw AddressError(.badToken) }
        self.server = server
        self.token = token
    }

    /// Parses a pasted link. Only the token's characters are checked here; the server decides whether it is valid.
    package init(_ text: String) throws(AddressError) {
        let parts = try URLParts(text)
        guard parts.path == "/join" else { throw AddressError(.notAnInvite) }
        guard parts.query == nil else { throw AddressError(.hasQuery) }
        guard let token = parts.fragment, !token.isEmpty else { throw AddressError(.noToken) }
        try self.init(server: ServerAddress(parts), token: String(token))
    }

    /// The link with its token, for the user who passes it on.
    package var link: String { "\(server)/join#\(token)" }

    /// The link without its token.
    package var description: String { "\(server)/join#…" }

    private static func isToken(_ text: Substring) -> Bool {
        (1...tokenBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
