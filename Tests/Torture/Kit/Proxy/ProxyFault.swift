internal import RoostModel

/// What the proxy does to one exchange.
enum ProxyFault: String, CaseIterable, Sendable {
    /// The request never arrives.
    case loseRequest = "request lost"
    /// The server does what was asked, and nobody hears of it.
    case loseReply = "reply lost"
    /// The request arrives twice at the same time.
    case duplicateAtOnce = "request twice at once"
    /// The request arrives again after others.
    case duplicateLater = "request again later"
    /// The request breaks off at some byte.
    case cutRequest = "request cut"
    /// The reply breaks off at some byte.
    case cutReply = "reply cut"
    /// The reply comes after a while.
    case stall = "reply stalled"
    /// The reply comes a few bytes at a time.
    case drip = "reply dripped"
    /// Random bytes come instead of a reply.
    case garbage = "garbage"
    /// A reply with the right head and random bytes in its body.
    case garbledBody = "body garbled"
    /// The login page of some network comes instead of a reply.
    case loginPage = "login page"
    /// A gateway says that it reaches nobody.
    case badGateway = "bad gateway"
    /// The connection stays open and silent for a while, then is reset.
    case halfOpen = "half open"

    /// One of them, or none: seven exchanges in ten go through untouched.
    static func pick(_ random: inout SplitMix64) -> ProxyFault? {
        Int.random(in: 0..<10, using: &random) < 7 ? nil : allCases.randomElement(using: &random)
    }
}
