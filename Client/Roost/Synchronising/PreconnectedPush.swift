package import Session
internal import Transport

/// A push whose request is sent in two parts: the connection is opened while the changes are sealed. That saves a round trip over a slow
/// link where many changes are pending.
///
/// No part of the push is sent before it is sealed and committed. Until then there is a connection, and at most the head of the request.
package struct PreconnectedPush {
    package typealias Answer = Task<Result<SyncDriver.Answer, SyncFailure>, Never>

    private let body = PendingBody()
    private let answer: Answer
    private let deadline: ContinuousClock.Instant

    /// Opens the connection.
    ///
    /// - Parameter patience: The maximum time of sealing. A server closes a new connection whose first request does not come within 10 s
    ///   (protocol.md §10).
    package init(
        since checkpoint: [UInt8]?, token: String, _ client: ServerClient, patience: Duration = .seconds(5)
    ) {
        deadline = .now.advanced(by: patience)
        var client = client
        client.token = token
        answer = Task.immediate(executorPreference: client.transport.executor) { [body, client] in
            await client.answer(toPushSince: checkpoint, awaiting: body)
        }
    }

    /// Completes the request with a sealed push.
    ///
    /// - Returns: The answer, which is under way; `nil` where the request has failed or its time is over. The push is still to be sent then.
    package func send(_ sealed: [UInt8]) -> Answer? {
        guard ContinuousClock.now < deadline, let compressed = ServerClient.compressed(sealed), body.set(compressed)
        else {
            cancel()
            return nil
        }
        return answer
    }

    package func cancel() { answer.cancel() }
}
