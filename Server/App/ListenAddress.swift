internal import ArgumentParser

/// Where to listen: a host and a port.
struct ListenAddress: Hashable, Sendable {
    let host: String
    let port: Int

    /// Reads `host:port`, or `[host]:port` for IPv6.
    ///
    /// - Throws: A usage error for anything else, and for a host that is not loopback unless that is allowed.
    init(_ text: String, mayBeRemote: Bool) throws {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65535).contains(port)
        else {
            throw ValidationError("Cannot listen on \"\(text)\": expected host:port, for example 127.0.0.1:8787.")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard mayBeRemote || Self.isLoopback(host) else {
            throw ValidationError(
                "Cannot listen on \"\(host)\": connections are not encrypted. Put a reverse proxy with TLS before a loopback "
                    + "address, or state --plain-http-behind-proxy.")
        }
        self.host = host
        self.port = port
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
