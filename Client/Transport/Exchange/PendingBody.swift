internal import Synchronization

/// The body of a request that is begun before its body is known: the connection is opened meanwhile.
package final class PendingBody: Sendable {
    private enum State {
        /// With what to tell once it changes.
        case open(whenKnown: (@Sendable () -> Void)?)
        case known([UInt8])
        /// The request has ended without it.
        case unwanted
    }

    private let state = Mutex(State.open(whenKnown: nil))

    package init() {}

    /// Hands the body over, once.
    ///
    /// - Returns: Whether it is sent; `false` where the request has ended already, and nothing of the body has left.
    package func set(_ bytes: [UInt8]) -> Bool {
        let whenKnown: (@Sendable () -> Void)?? = state.withLock { state in
            guard case .open(let whenKnown) = state else { return nil }
            state = .known(bytes)
            return whenKnown
        }
        guard let whenKnown else { return false }
        whenKnown?()
        return true
    }

    /// The body, if it is known.
    package var bytes: [UInt8]? { state.withLock { if case .known(let bytes) = $0 { bytes } else { nil } } }

    /// Calls `action` when the body is handed over, or at once if it is known.
    func whenKnown(_ action: @escaping @Sendable () -> Void) {
        let isKnown = state.withLock { state in
            switch state {
            case .open:
                state = .open(whenKnown: action)
                return false
            case .known: return true
            case .unwanted: return false
            }
        }
        if isKnown { action() }
    }

    /// Refuses the body from now on, where it is not known yet, and lets go of it where it is.
    func end() { state.withLock { $0 = .unwanted } }
}
