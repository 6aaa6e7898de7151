internal import ArgumentParser
internal import Foundation

/// The address to listen on: a host and a port.
struct ListenAddress: Hashable, Sendable {
    let host: String
    let port: Int

    /// Reads `host:port`, or `[host]:port` for IPv6.
    ///
    /// - Throws: A usage error for any other text, and for a host that is not loopback unless that is allowed.
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
                "Cannot listen on \"\(host)\": connections are not encrypted. Put a reverse proxy with TLS before the "
                    + "server, and state --plain-http-behind-proxy.")
        }
        self.host = host
        self.port = port
    }

    /// Reads the address of a reverse proxy.
    ///
    /// - Returns: The address in its shortest form, as connections have it.
    /// - Throws: A usage error.
    static func proxy(_ text: String, isBehindProxy: Bool) throws -> String {
        guard isBehindProxy else {
            throw ValidationError("Cannot trust the proxy \"\(text)\": state --plain-http-behind-proxy, too.")
        }
        for family in [AF_INET, AF_INET6] {
            var address = [UInt8](repeating: 0, count: 16)
            var shortest = [CChar](repeating: 0, count: 64)
            guard inet_pton(family, text, &address) == 1, inet_ntop(family, address, &shortest, 64) != nil else {
                continue
            }
            return String(decoding: shortest.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        throw ValidationError("Cannot trust the proxy \"\(text)\": expected an IP address, for example 10.0.0.2.")
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
