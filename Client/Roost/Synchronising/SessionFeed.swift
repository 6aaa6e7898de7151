internal import Synchronization

/// The present state of a session, and the streams that follow it.
final class SessionFeed: Sendable {
    private struct Content {
        var state = SessionState.notRunning
        /// The reason of the session's end, in words; `nil` while there may be further states.
        var end: String?
        var followers: [Int: AsyncStream<SessionState>.Continuation] = [:]
        var nextFollower = 0
    }

    private let content = Mutex(Content())

    deinit { end("it was given up before it ended") }

    /// The state that was published last.
    var state: SessionState { content.withLock { $0.state } }

    /// The reason of the session's end, in words; `nil` while it may run.
    var end: String? { content.withLock { $0.end } }

    /// Publishes a state, also one that equals the last.
    func publish(_ state: SessionState) {
        content.withLock { content in
            content.state = state
            for follower in content.followers.values { follower.yield(state) }
        }
    }

    /// Publishes the present state again, for followers that read more than the state.
    func publishAgain() {
        content.withLock { content in
            for follower in content.followers.values { follower.yield(content.state) }
        }
    }

    /// Finishes all streams. They deliver the last state first.
    func end(_ reason: String) {
        let followers = content.withLock { content in
            content.end = content.end ?? reason
            defer { content.followers = [:] }
            return content.followers
        }
        for follower in followers.values { follower.finish() }
    }

    private func leave(_ number: Int) {
        content.withLock { _ = $0.followers.removeValue(forKey: number) }
    }

    /// Makes a stream that begins with the present state. A slow reader gets the newest state only.
    func follow() -> AsyncStream<SessionState> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionState.self, bufferingPolicy: .bufferingNewest(1))
        let number: Int? = content.withLock { content in
            continuation.yield(content.state)
            guard content.end == nil else { return nil }
            content.nextFollower += 1
            content.followers[content.nextFollower] = continuation
            return content.nextFollower
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        // Swift calls this under a lock of the task that reads the stream, which `publish` needs while it holds the lock here.
        continuation.onTermination = { [weak self] _ in Task { self?.leave(number) } }
        return stream
    }
}
