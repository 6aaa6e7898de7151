internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import Session

/// Pushes that are too large for the way to the server (``Uplink``).
extension SyncDriver {
    /// Size below which pushes are joined with following ones.
    private static let smallBytes = 64 * 1024

    /// Answers a failure that is due to the size of a request.
    ///
    /// - Returns: A request to send instead; `nil` where the session has to react to the failure.
    mutating func requestInstead(of request: Request, after failure: SyncFailure) throws -> Request? {
        switch uplink.measure(after: failure, of: request, inFlight: push.sealed?.number) {
        case .none: return nil
        case .shrink(let isRefused):
            guard let body = request.pushBody else { return nil }
            return try shrink(body, isRefused: isRefused)
        case .askForReply:
            guard let sealed = push.sealed, let body = request.pushBody else { return nil }
            return .pushReply(number: sealed.number, hash: SHA256Digest.of(body))
        }
    }

    /// Sends smaller pushes once the server has reported that it has not stored the one that was interrupted or refused. A push that cannot
    /// be smaller is sent once more, if it was interrupted before another attempt began.
    ///
    /// - Throws: The failure of the push, where nothing is to be sent.
    mutating func requestAfterMissingReply() throws -> Request {
        let (isRefused, resends) = uplink.replyIsMissing()
        if let sealed = push.sealed {
            if let smaller = try shrink(sealed.body, isRefused: isRefused) { return smaller }
            if resends { return .push(sealed.body) }
        }
        throw uplink.interruption ?? .timedOut(message: "")
    }

    private mutating func shrink(_ body: [UInt8], isRefused: Bool) throws -> Request? {
        guard let number = push.sealed?.number else { return nil }
        if uplink.limit.most == nil {
            report.notices.append(
                "The way to the server takes no push of \(body.count) bytes \(isRefused ? "at once" : "in time"): smaller ones are sent."
            )
        }
        uplink.bodyFailed(body.count, isRefused: isRefused)
        guard let most = uplink.limit.most, let next = try replica.shrinkPushes(from: number, toBytes: most) else {
            return nil
        }
        uplink.packedBytes = most
        replace(by: next)
        uplink.divided()
        return .push(next.body)
    }

    /// Joins pushes that were made small, after one of them was answered in this session. The pushes behind it were never sent.
    mutating func joinSmallPushes() throws {
        let limits = pushLimits
        guard push.isFirstAnswered, let sealed = push.sealed, !sealed.isLast,
            sealed.body.count < Self.smallBytes || uplink.packedBytes != nil,
            limits.bytesPerPush / 2 >= uplink.packedBytes ?? 0
        else { return }
        uplink.packedBytes = limits.bytesPerPush
        if let next = try replica.joinPushes(from: sealed.number, within: limits) { replace(by: next) }
    }

    private mutating func replace(by next: SealedPush) {
        push.replace(by: next)
        pull.pushChanged()
    }
}
