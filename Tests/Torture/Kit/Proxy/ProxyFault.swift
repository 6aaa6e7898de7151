internal import RoostModel

/// A fault that the proxy applies to one exchange.
enum ProxyFault: String, CaseIterable, Sendable {
    /// The request never arrives.
    case loseRequest = "request lost"
    /// The server handles the request, and the reply is lost.
    case loseReply = "reply lost"
    /// The request arrives twice concurrently.
    case duplicateAtOnce = "request twice at once"
    /// The request arrives again after others.
    case duplicateLater = "request again later"
    /// The request ends at some byte.
    case cutRequest = "request cut"
    /// The reply ends at some byte.
    case cutReply = "reply cut"
    /// The reply is delayed.
    case stall = "reply stalled"
    /// The reply comes a few bytes at a time.
    case drip = "reply dripped"
    /// Random bytes arrive instead of a reply.
    case garbage = "garbage"
    /// A reply with the right head and random bytes in its body.
    case garbledBody = "body garbled"
    /// The login page of a network arrives instead of a reply.
    case loginPage = "login page"
    /// A gateway reports that it cannot reach the server.
    case badGateway = "bad gateway"
    /// The connection stays open and silent for a while, and is then reset.
    case halfOpen = "half open"

    /// Draws a fault or none: seven exchanges in ten are untouched.
    static func pick(_ random: inout SplitMix64) -> ProxyFault? {
        Int.random(in: 0..<10, using: &random) < 7 ? nil : allCases.randomElement(using: &random)
    }
}
