internal import RoostModel

/// Fills pushes with parts that are sealed already, each push up to a number of bytes and changes. ``PushPacker`` seals them.
struct PushRepacker {
    private(set) var pushes: [SealedPush] = []
    private let bytesMax: Int
    private let changesMax: Int
    private var current: SealedPush
    private var (bytes, count) = (0, 0)

    init(from number: UInt64, _ checkpoint: [UInt8]?, bytesMax: Int, changesMax: Int = .max) {
        (self.bytesMax, self.changesMax) = (bytesMax, changesMax)
        current = SealedPush(number: number, checkpoint: checkpoint, parts: [])
    }

    /// Adds a part, in pieces where it is too large.
    mutating func add(_ part: SealedPush.Part) {
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

    /// Ends the push that is being filled, if it holds anything.
    mutating func close() {
        guard !current.parts.isEmpty else { return }
        pushes.append(current)
        current = SealedPush(number: current.number + 1, checkpoint: current.checkpoint, parts: [])
        (bytes, count) = (0, 0)
    }

    private mutating func append(_ changes: [Change], continues: Bool) {
        current.parts.append(.init(changes: changes, continues: continues))
    }
}
