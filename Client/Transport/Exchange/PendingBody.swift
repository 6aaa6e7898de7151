internal import Synchronization

/// The body of a request that is sent before its body is known, so that the connection can be opened meanwhile.
package final class PendingBody: Sendable {
    private enum State {
        /// The body is not known. `whenKnown` is called once it is.
        case open(whenKnown: (@Sendable () -> Void)?)
        case known([UInt8])
        /// The request has ended, and released the body of `count` bytes; 0 where it was not known.
        case released(count: Int)
    }

    private let state = Mutex(State.open(whenKnown: nil))

    package init() {}

    /// Sets the body; only the first call has an effect.
    ///
    /// - Returns: Whether the body is sent; `false` if the request has ended already, in which case no byte of the body was sent.
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

    /// The size of the body, also after the request has ended; 0 while it is not known.
    package var count: Int {
        state.withLock { state in
            switch state {
            case .open: 0
            case .known(let bytes): bytes.count
            case .released(let count): count
            }
        }
    }

    /// Calls `action` when the body is set, or immediately if it is known.
    func whenKnown(_ action: @escaping @Sendable () -> Void) {
        let isKnown = state.withLock { state in
            switch state {
            case .open:
                state = .open(whenKnown: action)
                return false
            case .known: return true
            case .released: return false
            }
        }
        if isKnown { action() }
    }

    /// Refuses the body from now on, and releases it if it is known.
    func end() {
        state.withLock { state in
            switch state {
            case .open: state = .released(count: 0)
            case .known(let bytes): state = .released(count: bytes.count)
            case .released: break
            }
        }
    }
}
