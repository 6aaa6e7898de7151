internal import RoostModel
internal import RoostProtocol

/// Fills pushes with sealed parts, each push up to a maximum of bytes and changes. ``PushPacker`` seals the parts.
struct PushRepacker {
    private(set) var pushes: [PushRequest] = []
    private let bytesMax: Int
    private let changesMax: Int
    private var current: PushRequest
    private var (bytes, count) = (0, 0)

    init(from number: UInt64, _ checkpoint: Checkpoint?, bytesMax: Int, changesMax: Int = .max) {
        (self.bytesMax, self.changesMax) = (bytesMax, changesMax)
        current = PushRequest(number: number, checkpoint: checkpoint, transactions: [])
    }

    /// Adds a part, divided into pieces where it is too large.
    mutating func add(_ part: PushRequest.Transaction) {
        var piece: [Change] = []
        for change in part.changes {
            if count > 0, bytes + change.estimatedBytes > bytesMax || count >= changesMax {
                if !piece.isEmpty { append(piece, continues: true) }
                piece = []
                close()
            }
            piece.append(change)
            bytes += change.estimatedBytes
            count += 1
        }
        append(piece, continues: part.continues)
        // The rest of a transaction comes with the next push.
        if part.continues { close() }
    }

    /// Ends the push that is being filled, if it has any content.
    mutating func close() {
        guard !current.transactions.isEmpty else { return }
        pushes.append(current)
        current = PushRequest(number: current.number + 1, checkpoint: current.checkpoint, transactions: [])
        (bytes, count) = (0, 0)
    }

    private mutating func append(_ changes: [Change], continues: Bool) {
        current.transactions.append(.init(changes: changes, continues: continues))
    }
}
