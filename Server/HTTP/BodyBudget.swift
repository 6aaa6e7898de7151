internal import RoostProtocol
internal import Synchronization

/// How many bytes of request bodies the server holds at once, over all connections.
///
/// A body is counted from before its first byte is read until its request has been answered: by the length that it states, or by what it
/// may have; then by what it decompressed to. JSON counts more than its bytes, for it is taken apart in memory.
final class BodyBudget: Sendable {
    /// The share of one body. Ending it, or letting go of it, gives the bytes back.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let bytes: Mutex<Int>

        fileprivate init(_ budget: BodyBudget, _ bytes: Int) {
            self.budget = budget
            self.bytes = Mutex(bytes)
        }

        /// Counts the body with another size.
        ///
        /// - Throws: ``ErrorCode/tooManyRequests`` where there is no room for that; the share stays as it was.
        func resize(to count: Int) throws(ProtocolError) {
            let isTaken = bytes.withLock { bytes in
                guard budget.take(count - bytes) else { return false }
                bytes = count
                return true
            }
            guard isTaken else { throw BodyBudget.full }
        }

        deinit {
            let count = bytes.withLock { $0 }
            budget.give(count)
        }
    }

    private let total: Int
    private let held = Mutex(0)

    /// - Parameter total: Bytes. One body alone is always admitted.
    init(total: Int) { self.total = total }

    /// Bytes that are held now.
    var bytes: Int { held.withLock { $0 } }

    /// - Throws: ``ErrorCode/tooManyRequests`` where there is no room.
    func share(of count: Int) throws(ProtocolError) -> Share {
        guard take(count) else { throw Self.full }
        return Share(self, count)
    }

    private func take(_ count: Int) -> Bool {
        held.withLock { held in
            guard count <= 0 || held == 0 || held + count <= total else { return false }
            held += count
            return true
        }
    }

    private func give(_ count: Int) { held.withLock { $0 -= count } }

    private static let full = ProtocolError(
        .tooManyRequests, "Cannot take the body in: too many large ones are being read. Send it again in a second.",
        retryAfter: 1)
}
