internal import RoostModel
internal import RoostProtocol

/// I6: a push that is resent gets its first reply again, or is refused, and changes nothing.
struct RepetitionChecker {
    private struct Push: Hashable {
        var token: String
        var body: [UInt8]
    }

    private var replies: [Push: [UInt8]] = [:]

    /// Checks a push and its reply.
    ///
    /// - Returns: Whether the push was new.
    mutating func check(_ body: [UInt8], token: String, reply: [UInt8]) throws -> Bool {
        let push = Push(token: token, body: body)
        guard let earlier = replies[push] else {
            replies[push] = reply
            return true
        }
        guard earlier == reply else {
            throw Violation(.repetition, "the same push got another reply: \(earlier.count) bytes, then \(reply.count)")
        }
        return false
    }
}
