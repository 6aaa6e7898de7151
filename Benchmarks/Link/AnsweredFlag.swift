internal import Synchronization

/// The side whose turn it is on one connection.
final class AnsweredFlag: Sendable {
    private let isClientsTurn = Mutex(true)

    /// Records that the client sends.
    ///
    /// - Returns: Whether the client was silent since the server's last answer.
    func spoke() -> Bool {
        isClientsTurn.withLock { turn in
            defer { turn = false }
            return turn
        }
    }

    /// Records that the server sends.
    func heard() { isClientsTurn.withLock { $0 = true } }
}
