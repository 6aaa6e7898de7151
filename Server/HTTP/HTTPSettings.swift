internal import RoostModel
package import RoostProtocol
package import RoostService

/// How the server behaves on the network; read once, validated, and passed down.
package struct HTTPSettings: Sendable {
    package var host = "127.0.0.1"
    /// 0 for one that is free.
    package var port = 8787
    package var limits = Limits()
    /// What ``GET /v1/version`` states.
    package var version = RoostRelease.version
    /// Whoever has this token may make scopes.
    package var adminToken: TokenHash
    /// Whether a reverse proxy in front says in `X-Forwarded-For` whom it speaks for.
    package var isBehindProxy = false
    /// Seconds for the first request's head to arrive.
    package var headSecondsMax: Int64 = 10
    /// How long the answer waits to an address that has sent too many requests without a valid token.
    package var blockedMilliseconds: Int64 = 500
    /// Seconds for a whole request to arrive, and for a reply to be taken.
    package var requestSecondsMax: Int64 = 60
    /// Bytes of a body that must arrive in each second, looked at every five.
    package var bodyBytesPerSecondMin = 1024
    /// Bytes of a reply that a client must take in each second, where it takes longer than ``requestSecondsMax`` for all of it.
    package var replyBytesPerSecondMin = 64 * 1024
    /// Seconds after which a connection with nothing to do is closed.
    package var idleSecondsMax: Int64 = 75
    /// Bytes of request bodies and replies that are held at once, over all connections. One body may take three quarters of them.
    package var bytesInFlightMax = 96 * 1024 * 1024
    /// Addresses of reverse proxies, in their shortest form. Their connections are not counted by address. With
    /// ``isBehindProxy`` they alone are believed in `X-Forwarded-For`, next to programs of this machine.
    package var trustedProxies: Set<String> = []
    /// Replies longer than this are compressed for who accepts that.
    package var compressedFromBytes = 512

    package init(adminToken: TokenHash) {
        self.adminToken = adminToken
    }
}

extension HTTPSettings {
    /// Whom a request is from.
    ///
    /// - Parameters:
    ///   - peer: The connection's other end.
    ///   - forwardedFor: What the request says of it, which counts only where ``isBehindProxy`` is stated, and where it comes from a proxy of
    ///     ours: one named, or on this machine. Without one, any client could name an address through a tunnel that adds nothing.
    package func client(of peer: String, forwardedFor: String?) -> String {
        guard isBehindProxy, trustedProxies.contains(peer) || ConnectionTable.isLoopback(peer),
            let last = forwardedFor?.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).last
        else { return peer }
        return String(decoding: last.filter { $0 != UInt8(ascii: " ") }.prefix(64), as: UTF8.self)
    }
}
