internal import RoostModel
package import RoostProtocol
package import RoostService

/// The settings of the server on the network; read once, validated, and passed down.
package struct HTTPSettings: Sendable {
    package var host = "127.0.0.1"
    /// The port; 0 for a free one.
    package var port = 8787
    package var limits = Limits()
    /// The version that `GET /v1/version` states.
    package var version = RoostRelease.version
    /// The hash of the token that permits creating scopes.
    package var adminToken: TokenHash
    /// Whether a reverse proxy in front states its clients' addresses in `X-Forwarded-For`.
    package var isBehindProxy = false
    /// The seconds in which the first request's head has to arrive.
    package var headSecondsMax: Int64 = 10
    /// The milliseconds by which a reply is delayed to an address that has sent too many requests without a valid token.
    package var blockedMilliseconds: Int64 = 500
    /// The seconds in which a whole request has to arrive, and a reply has to be received.
    package var requestSecondsMax: Int64 = 60
    /// The bytes of a body that have to arrive in each second, checked every five seconds.
    package var bodyBytesPerSecondMin = 1024
    /// The bytes of a reply that a client has to receive in each second, if the whole reply takes longer than
    /// ``requestSecondsMax``.
    package var replyBytesPerSecondMin = 64 * 1024
    /// The seconds after which an idle connection is closed.
    package var idleSecondsMax: Int64 = 75
    /// The bytes of request bodies and replies that are held at once, over all connections. One body may take three
    /// quarters of them.
    package var bytesInFlightMax = 96 * 1024 * 1024
    /// The addresses of reverse proxies, in their shortest form. Their connections are not counted by address. With
    /// ``isBehindProxy``, `X-Forwarded-For` is accepted only from them and from programs of this machine.
    package var trustedProxies: Set<String> = []
    /// The size above which replies are compressed for clients that accept it, in bytes.
    package var compressedFromBytes = 512

    package init(adminToken: TokenHash) {
        self.adminToken = adminToken
    }
}

extension HTTPSettings {
    /// Returns the client's address of a request.
    ///
    /// - Parameters:
    ///   - peer: The connection's other end.
    ///   - forwardedFor: The request's `X-Forwarded-For`. It counts only with ``isBehindProxy``, and from a trusted proxy:
    ///     one in ``trustedProxies``, or on this machine. Otherwise any client could choose an address through a tunnel
    ///     that adds none.
    package func client(of peer: String, forwardedFor: String?) -> String {
        guard isBehindProxy, trustedProxies.contains(peer) || ConnectionTable.isLoopback(peer),
            let last = forwardedFor?.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).last
        else { return peer }
        return String(decoding: last.filter { $0 != UInt8(ascii: " ") }.prefix(64), as: UTF8.self)
    }
}
