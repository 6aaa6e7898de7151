internal import RoostProtocol
internal import Synchronization

/// The limit of the bytes of request bodies and replies that the server holds at once, over all connections
/// (``ByteLedger``).
///
/// A body counts with its size as it arrives, and then with its size in memory once it is parsed. A reply counts until the
/// operating system has taken all of it. Small ones are not counted: ``countedFromBytes``.
final class ByteBudget: Sendable {
    /// The bytes of one body or reply. Releasing the share returns them.
    final class Share: Sendable {
        private let budget: ByteBudget
        private let holder: ByteLedger.Holder
        private let bytes = Mutex(0)

        fileprivate init(_ budget: ByteBudget, _ holder: ByteLedger.Holder) {
            self.budget = budget
            self.holder = holder
        }

        /// Changes the size.
        ///
        /// - Throws: ``ErrorCode/tooManyRequests`` if the budget has too little left now, ``ErrorCode/tooLarge`` if it is
        ///   always too small. The share stays unchanged.
        func resize(to count: Int) throws(ProtocolError) {
            let verdict = bytes.withLock { bytes in
                let verdict = budget.ledger.withLock { $0.change(from: bytes, to: count, for: holder) }
                if verdict == .granted { bytes = count }
                return verdict
            }
            switch verdict {
            case .granted: return
            case .full: throw ByteBudget.full
            case .tooLarge: throw ByteBudget.tooLarge
            }
        }

        /// Reserves bytes that arrive, in steps: most calls need no new reservation.
        func grow(to count: Int) throws(ProtocolError) {
            guard count > bytes.withLock({ $0 }) else { return }
            try resize(to: (count + ByteBudget.stepBytes - 1) / ByteBudget.stepBytes * ByteBudget.stepBytes)
        }

        deinit {
            let count = bytes.withLock { $0 }
            budget.ledger.withLock { _ = $0.change(from: count, to: 0, for: holder) }
        }
    }

    /// The size up to which bodies and replies are not counted, in bytes.
    static let countedFromBytes = 16 * 1024
    private static let stepBytes = 64 * 1024

    private let ledger: Mutex<ByteLedger>

    init(total: Int) { ledger = Mutex(ByteLedger(total: total)) }

    /// The bytes held now.
    var bytes: Int { ledger.withLock { $0.held } }

    /// Whether a holder may have one more small share.
    func hasRoom(for holder: ByteLedger.Holder) -> Bool {
        ledger.withLock { $0.room(besides: 0, for: holder) > Self.stepBytes }
    }

    /// Makes a share without bytes.
    func share(for holder: ByteLedger.Holder) -> Share { Share(self, holder) }

    /// Makes a share for a body or reply; `nil` for a small one.
    func share(of count: Int, for holder: ByteLedger.Holder) throws(ProtocolError) -> Share? {
        guard count > Self.countedFromBytes else { return nil }
        let share = share(for: holder)
        try share.resize(to: count)
        return share
    }

    private static let full = ProtocolError(
        .tooManyRequests,
        "Cannot answer: this device, its scope or the server holds too many large bodies and replies. Send it again in a second.",
        retryAfter: 1)

    private static let tooLarge = ProtocolError(
        .tooLarge, "Cannot read the body: it takes more memory than the server gives to one. Send less at once.")
}
