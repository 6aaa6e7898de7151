package import Session
package import Transport

/// A push that was begun before it is sealed: its connection is opened while the changes are sealed, which takes as long as a round trip
/// over a slow link where many wait.
///
/// Nothing of the push leaves before it is sealed and written down: until then there is a connection, and at most the request's head.
package struct PushAhead {
    package typealias Answer = Task<Result<SyncDriver.Answer, SyncFailure>, Never>

    private let opening: SyncDriver.Opening
    private let body = PendingBody()
    private let answer: Answer
    private let lapses: ContinuousClock.Instant

    /// - Parameter patience: How long sealing may take. A server closes a new connection whose first request does not come within 10 s
    ///   (protocol.md §10).
    package init(_ opening: SyncDriver.Opening, _ transport: HTTPTransport, patience: Duration = .seconds(5)) {
        self.opening = opening
        lapses = .now.advanced(by: patience)
        answer = Task.immediate(executorPreference: transport.executor) { [body] in
            await ServerClient(transport, token: opening.token).answer(toPushSince: opening.since, awaiting: body)
        }
    }

    /// Hands the push over that was ordered.
    ///
    /// - Returns: Its answer, which is on its way; `nil` where this is no beginning of that order, or has ended or lapsed already. It is
    ///   over then, and the order is still to be sent.
    package func send(_ order: SyncDriver.Order) -> Answer? {
        guard case .pushAndPull(let sealed, opening.since) = order.request, order.token == opening.token,
            ContinuousClock.now < lapses, let compressed = ServerClient.compressed(sealed), body.set(compressed)
        else {
            cancel()
            return nil
        }
        return answer
    }

    package func cancel() { answer.cancel() }
}
