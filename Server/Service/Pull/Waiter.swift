internal import Synchronization

/// One pull that waits for something new.
package final class Waiter: Sendable {
    /// Why a wait ended.
    package enum Wake: Hashable, Sendable {
        /// There may be something new to pull.
        case news
        /// A new schema version is in force.
        case schema
        case timeUp
        /// The replica's access was taken away.
        case revoked
        case stopping
        /// The client is gone.
        case closed
    }

    private enum State {
        case idle
        case waiting(CheckedContinuation<Wake, Never>)
        case woken(Wake)
    }

    private let state = Mutex(State.idle)

    package init() {}

    /// Ends the wait, now or as soon as it begins. News never hides a reason that ends the pull.
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

    /// Whether something has woken it of which no wait has heard.
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
