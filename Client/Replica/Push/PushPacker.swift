internal import RoostModel
internal import RoostProtocol

/// Fills pushes with transactions, one change at a time.
///
/// A transaction that is larger than a push is sent in parts, which the server joins. A transaction that is larger than any
/// server accepts is sent as several transactions, each no larger than a push. It cannot arrive at once anyway, and so neither
/// the server nor another device needs memory for more of it.
struct PushPacker {
    private let limits: PushLimits
    /// Full pushes that have not been taken.
    private var full: [PushRequest] = []
    /// The push that is being filled, and the number and bytes of its changes.
    private var push: PushRequest
    private var filled = (count: 0, bytes: 0)
    /// The part of the present transaction that is in no push yet.
    private var part: [Change] = []
    private var partBytes = 0
    /// The changes and bytes of the present transaction so far, and their maxima.
    private var transaction = (count: 0, bytes: 0)
    private var transactionMax: (count: Int, bytes: Int)
    /// The number of times a transaction was divided because no server would accept it.
    private(set) var splits = 0

    /// - Parameter number: The number of the first push.
    init(from number: UInt64, _ checkpoint: [UInt8]?, _ limits: PushLimits) {
        self.limits = limits
        push = PushRequest(
            number: number, checkpoint: checkpoint.map { Checkpoint(bytes: $0) }, transactions: [])
        transactionMax = (limits.changesPerTransaction, limits.bytesPerTransaction)
    }

    /// Begins a transaction.
    ///
    /// - Parameter count: The approximate number of its changes.
    mutating func beginTransaction(_ count: Int) {
        transactionMax =
            count <= limits.changesPerTransaction
            ? (limits.changesPerTransaction, limits.bytesPerTransaction)
            : (
                min(limits.changesPerPush, limits.changesPerTransaction),
                min(limits.bytesPerPush, limits.bytesPerTransaction)
            )
    }

    /// Adds a change to the present transaction.
    mutating func add(_ change: Change) {
        let bytes = change.estimatedBytes
        if transaction.count > 0,
            transaction.count == transactionMax.count || transaction.bytes + bytes > transactionMax.bytes
        {
            endTransaction()
            splits += 1
        }
        if !part.isEmpty, part.count == limits.changesPerPush || partBytes + bytes > limits.bytesPerPush {
            endPart(continues: true)
        }
        part.append(change)
        partBytes += bytes
        transaction = (transaction.count + 1, transaction.bytes + bytes)
    }

    /// Ends the present transaction; the next change belongs to another one.
    mutating func endTransaction() {
        if !part.isEmpty { endPart(continues: false) }
        transaction = (0, 0)
    }

    /// Ends the last transaction and the last push.
    mutating func finish() {
        endTransaction()
        close()
    }

    /// Returns the full pushes, each once.
    mutating func flush() -> [PushRequest] {
        defer { full = [] }
        return full
    }

    private mutating func endPart(continues: Bool) {
        // A part that does not fit into the push starts the next one.
        let isFull =
            continues || filled.count + part.count > limits.changesPerPush
            || filled.bytes + partBytes > limits.bytesPerPush || push.transactions.count >= limits.transactionsPerPush
        if filled.count > 0, isFull { close() }
        push.transactions.append(.init(changes: part, continues: continues))
        filled = (filled.count + part.count, filled.bytes + partBytes)
        (part, partBytes) = ([], 0)
        if continues { close() }
    }

    private mutating func close() {
        guard !push.transactions.isEmpty else { return }
        full.append(push)
        push = PushRequest(number: push.number + 1, checkpoint: push.checkpoint, transactions: [])
        filled = (0, 0)
    }
}
