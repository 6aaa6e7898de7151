internal import Replica
internal import RoostProtocol
internal import Session

/// A sealed push, until the server's reply to it is in the replica.
///
/// At most one push is in flight. A push keeps its number and its bytes until the reply is stored, or until a push with other bytes takes
/// its number.
struct PushInFlight {
    /// The sealed push, which is sent or to be sent next; `nil` where it was not read since the session began.
    private(set) var sealed: SealedPush?
    /// The server's reply, before it is stored.
    private(set) var reply: PushReply?
    /// Number of times that a push changed the replica or the server. Both sides can be compared while it stays the same.
    private(set) var steps = 0
    /// Whether a push was answered in this session.
    private(set) var isFirstAnswered = false
    /// Changes that the server keeps until the rest of their transaction arrives.
    private var staged = 0
    private var sentAt = Moment(milliseconds: 0)
    /// The replica's checkpoint, as sealing has read it, for the request that is made right after.
    private var checkpointRead: [UInt8]?

    /// Records the sealed push, or that nothing was sealed.
    mutating func seal(_ push: SealedPush?) { sealed = push }

    /// Keeps the checkpoint that sealing has read, for a request that follows at once.
    mutating func keepCheckpoint() { checkpointRead = sealed?.checkpoint }

    /// Hands out the checkpoint that sealing has read, once.
    mutating func consumeCheckpoint() -> [UInt8]? {
        defer { checkpointRead = nil }
        return checkpointRead
    }

    /// Replaces the sealed push by another one with its number.
    mutating func replace(by push: SealedPush) {
        sealed = push
        advance()
    }

    /// Records that a push changes the replica or the server.
    mutating func advance() { steps += 1 }

    mutating func send(at now: Moment) { sentAt = now }

    /// Keeps the reply.
    ///
    /// - Returns: The time from sending to the reply.
    mutating func receive(_ answer: PushReply, at now: Moment) -> Duration {
        reply = answer
        return sentAt.duration(to: now)
    }

    /// Records that the reply is in the replica.
    mutating func acknowledge() {
        advance()
        (sealed, reply, isFirstAnswered) = (nil, nil, true)
    }

    /// Discards the push that was sealed under the former identity.
    mutating func renewIdentity() {
        (sealed, reply, staged) = (nil, nil, 0)
        advance()
    }

    /// Whether a reply contains a result for each transaction of its push. Another reply settles nothing: it would lead to a push with
    /// stamps that the server has seen.
    func isSettled(by answer: PushReply, to request: SyncDriver.Request) -> Bool {
        guard answer.number == sealed?.number else { return true }
        if let counts = sealed?.changeCounts, answer.results.last != .staged {
            return counts.count == answer.results.count
        }
        guard let body = request.pushBody, let push = try? PushRequest(protobuf: body) else { return true }
        // Only a part waits for the rest of its transaction.
        return push.transactions.count == answer.results.count
            && zip(push.transactions, answer.results).allSatisfy { $0.continues || $1 != .staged }
    }

    /// Counts in `report` how the transactions of the push ended.
    mutating func count(in report: inout SyncReport) throws {
        guard let sealed, let reply else { return }
        for (result, size) in zip(reply.results, try sealed.transactionSizes()) {
            // Parts that waited share the result of the rest of their transaction.
            let changes = size + staged
            staged = 0
            switch result {
            case .accepted: report.pushed += changes
            case .staged: staged = changes
            case .refused: report.refused += changes
            }
        }
    }
}

extension SyncDriver.Request {
    /// The bytes of the push that it carries.
    var pushBody: [UInt8]? {
        switch self {
        case .push(let body), .pushAndPull(let body, _, _): body
        case .renew, .connect, .pull, .pullAhead, .pushReply, .schema, .recover, .findToken: nil
        }
    }
}
