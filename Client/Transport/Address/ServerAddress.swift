/// The checked scheme, host and port of a server. Nothing else is allowed in its URL.
///
/// The scheme is `https`, or `http` to this machine itself (`localhost`, 127.0.0.0/8, `[::1]`), where nobody can
/// listen in between.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    package enum Scheme: String, Hashable, Sendable {
        case https
        case http

        /// The port of a URL that names none.
        package var defaultPort: UInt16 {
            switch self {
            case .https: 443
            case .http: 80
            }
        }
    }

    package let scheme: Scheme
    /// The host in lower case; an IPv6 address has no brackets.
    package let host: String
    package let port: UInt16

    /// The URL, without the scheme's default port and without a trailing slash.
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(name)" + (port == scheme.defaultPort ? "" : ":\(port)")
    }

    /// Whether the host is this machine, by a name or address that no resolver or router can redirect.
    package var isLoopback: Bool { HostName(host)?.isLoopback ?? false }

    /// Parses a URL such as `https://roost.example.org:8443`. A trailing slash is accepted.
    ///
    /// - Throws: ``AddressError`` for a user name or password, a path, a query, a fragment, another scheme, `http` to
    ///   another machine, and any text in which two programs could find two different hosts.
    package init(_ text: String) throws(AddressError) {
        let parts = try URLParts(text)
        guard parts.path.isEmpty || parts.path == "/" else { throw AddressError(.hasPath) }
        guard parts.query == nil else { throw AddressError(.hasQuery) }
        guard parts.fragment == nil else { throw AddressError(.hasFragment) }
        try self.init(parts)
    }

    /// Checks scheme, host and port. The caller checks the rest of the URL.
    init(_ parts: URLParts) throws(AddressError) {
        guard let scheme = Scheme(rawValue: parts.scheme) else { throw AddressError(.otherScheme) }
        guard let host = HostName(parts.host) else { throw AddressError(.badHost) }
        guard scheme == .https || host.isLoopback else { throw AddressError(.insecure) }
        self.scheme = scheme
        self.host = host.text
        port = try parts.port.map(Self.readPort) ?? scheme.defaultPort
    }

    private static func readPort(_ digits: Substring) throws(AddressError) -> UInt16 {
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.utf8.count <= 5, let port = UInt16(digits), port > 0
        else { throw AddressError(.badPort) }
        return port
    }
}
