internal import RoostModel
internal import RoostProtocol

/// Fills pushes with transactions, a change at a time.
///
/// A transaction that is larger than a push comes in parts, which the server puts together. One that is larger than any server takes comes
/// as several, each of them no larger than a push: it cannot arrive at once anyway, and so neither the server nor another device
/// has to have more of it in memory.
struct PushPacker {
    private let limits: PushLimits
    /// Pushes that are full and have not been taken.
    private var full: [PushRequest] = []
    /// The push that is being filled, and what is in it.
    private var push: PushRequest
    private var filled = (count: 0, bytes: 0)
    /// The part of the transaction that is being added, which is in no push yet.
    private var part: [Change] = []
    private var partBytes = 0
    /// Changes and bytes of the transaction so far, and how many it may have.
    private var transaction = (count: 0, bytes: 0)
    private var transactionMax: (count: Int, bytes: Int)
    /// How often a transaction was divided because no server would take it.
    private(set) var splits = 0

    /// - Parameter number: That of the first push.
    init(from number: UInt64, _ checkpoint: [UInt8]?, _ limits: PushLimits) {
        self.limits = limits
        push = PushRequest(
            number: number, checkpoint: checkpoint.map { Checkpoint(bytes: $0) }, transactions: [])
        transactionMax = (limits.changesPerTransaction, limits.bytesPerTransaction)
    }

    /// Begins a transaction.
    ///
    /// - Parameter count: How many changes it has, about.
    mutating func beginTransaction(_ count: Int) {
        transactionMax =
            count <= limits.changesPerTransaction
            ? (limits.changesPerTransaction, limits.bytesPerTransaction)
            : (
                min(limits.changesPerPush, limits.changesPerTransaction),
                min(limits.bytesPerPush, limits.bytesPerTransaction)
            )
    }

    /// Adds a change to the transaction that is being added.
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

    /// Ends a transaction; the next change is another one's.
    mutating func endTransaction() {
        if !part.isEmpty { endPart(continues: false) }
        transaction = (0, 0)
    }

    /// Ends the last transaction and the last push.
    mutating func finish() {
        endTransaction()
        close()
    }

    /// Hands out the pushes that are full, each once.
    mutating func take() -> [PushRequest] {
        defer { full = [] }
        return full
    }

    private mutating func endPart(continues: Bool) {
        // A change that does not fit into a push with others starts the next one.
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
