internal import Synchronization

/// A pull that waits for changes.
package final class Waiter: Sendable {
    /// The reason why a wait ended.
    package enum Wake: Hashable, Sendable {
        /// There may be changes to pull.
        case news
        /// A new schema version is in force.
        case schema
        case timeUp
        /// The replica's access was revoked.
        case revoked
        case stopping
        /// The client has disconnected.
        case closed
    }

    private enum State {
        case idle
        case waiting(CheckedContinuation<Wake, Never>)
        case woken(Wake)
    }

    private let state = Mutex(State.idle)

    package init() {}

    /// Ends the wait, now or as soon as it starts. News never hides a reason that ends the pull.
    package func wake(_ wake: Wake) {
        let continuation: CheckedContinuation<Wake, Never>? = state.withLock { state in
            switch state {
            case .waiting(let continuation):
                state = .idle
                return continuation
            case .idle: state = .woken(wake)
            case .woken(let earlier): if earlier == .news { state = .woken(wake) }
            }
            return nil
        }
        continuation?.resume(returning: wake)
    }

    /// Whether it has been woken and no wait has received that yet.
    package var isWoken: Bool {
        state.withLock { if case .woken = $0 { true } else { false } }
    }

    /// Waits until woken.
    package func wait() async -> Wake {
        await withCheckedContinuation { continuation in
            let wake: Wake? = state.withLock { state in
                guard case .woken(let wake) = state else {
                    state = .waiting(continuation)
                    return nil
                }
                state = .idle
                return wake
            }
            if let wake { continuation.resume(returning: wake) }
        }
    }
}
