internal import Synchronization

/// Whose turn it is on one connection.
final class AnsweredFlag: Sendable {
    private let isClientsTurn = Mutex(true)

    /// The client sends.
    ///
    /// - Returns: Whether it was silent since it was answered.
    func spoke() -> Bool {
        isClientsTurn.withLock { turn in
            defer { turn = false }
            return turn
        }
    }

    /// The server sends.
    func heard() { isClientsTurn.withLock { $0 = true } }
}
