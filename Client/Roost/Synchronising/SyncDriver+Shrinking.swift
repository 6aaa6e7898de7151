internal import Replica
internal import RoostProtocol
internal import Session

#if ROOST_SEEDED_BUGS
    internal import RoostModel
#endif

/// Pushes whose body is too large for what lies between here and the server: a proxy that refuses it, a link that takes too long.
extension SyncDriver {
    /// Pushes below this are joined where others follow them.
    private static let smallBytes = 64 * 1024

    /// The limits of the next pushes.
    var pushLimits: PushLimits {
        var limits = limits
        if let most = bodyLimit.most { limits.bytesPerPush = min(limits.bytesPerPush, most) }
        return limits
    }

    /// - Returns: What to send instead of a request that has failed; `nil` where ``interruption`` is for the session to deal with.
    mutating func requestInstead(of request: Request, _ result: Result<Answer, SyncFailure>) throws -> Request? {
        let wasDivided = isDivided
        isDivided = false
        switch result {
        case .success(.pushIsNotStored):
            unsureNumber = nil
            return try requestAfterInterruption()
        case .failure(let failure):
            // Failures of other lanes must not replace the reason for the question.
            switch request {
            case .push, .pushAndPull: (interruption, isInterruptionOld) = (failure, false)
            case .pull, .pullAhead, .schema, .pushReply, .renew, .recover, .findToken: break
            }
            return try requestInstead(of: request, after: failure, wasDivided)
        default:
            (serverKnowsPushes, unsureNumber) = (false, nil)
            return nil
        }
    }

    /// Answers a failure of a request that is due to its size.
    ///
    /// A body that was not answered in time may be stored. One that a proxy has refused is not, but an earlier attempt on another route may
    /// be. The server is asked first, and the push is divided if it is not stored. A push that was just divided has no earlier attempt, and is
    /// divided again at once.
    ///
    /// - Returns: What to send instead; `nil` where the session has to deal with the failure.
    private mutating func requestInstead(
        of request: Request, after failure: SyncFailure, _ wasDivided: Bool
    ) throws -> Request? {
        switch (request, failure) {
        case (.push(let body), .bodyRefused), (.pushAndPull(let body, _), .bodyRefused):
            #if ROOST_SEEDED_BUGS
                if SeededBug.refusedBodyWasNeverStored.isOn { return try shrink(body, isRefused: true) }
            #endif
            guard serverKnowsPushes, !wasDivided, let sealed else { return try shrink(body, isRefused: true) }
            unsureNumber = sealed.number
            return .pushReply(number: sealed.number, hash: SHA256Digest.of(body))
        case (.push(let body), .interrupted), (.pushAndPull(let body, _), .interrupted):
            guard serverKnowsPushes, body.count > bodyLimit.leastOnLink, let sealed else { return nil }
            unsureNumber = sealed.number
            return .pushReply(number: sealed.number, hash: SHA256Digest.of(body))
        case (.recover(let records), .bodyRefused): bodyLimit.refused(records.reduce(0) { $0 + $1.protobuf().count })
        case (.recover(let records), .interrupted): bodyLimit.timedOut(records.reduce(0) { $0 + $1.protobuf().count })
        default: break
        }
        return nil
    }

    /// Sends smaller pushes once the server has said that it has not stored the one that was interrupted or refused.
    ///
    /// - Returns: `nil` where it cannot be smaller. One that was interrupted before something else failed is sent once more.
    private mutating func requestAfterInterruption() throws -> Request? {
        guard let sealed else { return nil }
        let isRefused = if case .bodyRefused = interruption { true } else { false }
        if let smaller = try shrink(sealed.body, isRefused: isRefused) { return smaller }
        return isInterruptionOld ? .push(sealed.body) : nil
    }

    private mutating func shrink(_ body: [UInt8], isRefused: Bool) throws -> Request? {
        guard let number = sealed?.number else { return nil }
        if bodyLimit.most == nil {
            report.notices.append(
                "The way to the server takes no push of \(body.count) bytes \(isRefused ? "at once" : "in time"): smaller ones are sent."
            )
        }
        if isRefused { bodyLimit.refused(body.count) } else { bodyLimit.timedOut(body.count) }
        guard let most = bodyLimit.most,
            let next = try replica.shrinkPushes(from: number, toBytes: most)
        else { return nil }
        packedBytes = most
        hold(next)
        isDivided = true
        return .push(next.body)
    }

    /// Joins pushes that were made small, after one of them was answered in this session: of those behind it none was sent.
    mutating func joinSmallPushes() throws {
        let limits = pushLimits
        guard isFirstAnswered, let sealed, !sealed.isLast, sealed.body.count < Self.smallBytes || packedBytes != nil,
            limits.bytesPerPush / 2 >= packedBytes ?? 0
        else { return }
        packedBytes = limits.bytesPerPush
        if let next = try replica.joinPushes(from: sealed.number, within: limits) { hold(next) }
    }
}

extension Result {
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
