internal import RoostModel
internal import RoostProtocol

/// Collects the records of a page, whole sequences only.
struct PageBuilder {
    /// Whether a record up to the last sequence did not find room.
    private(set) var hasMore = false
    /// The last sequence all of whose records have been seen.
    private(set) var lastWhole: UInt64

    private var bytes: [UInt8] = []
    /// How many bytes the whole sequences take.
    private var wholeCount = 0
    private var sequence: UInt64
    private let replica: ReplicaID
    private let echo: UInt64
    private let upTo: UInt64
    private let bytesMax: Int

    /// - Parameters:
    ///   - start: The sequence that the page follows.
    ///   - echo: The sequence up to which the replica may not know its own changes.
    ///   - upTo: The last sequence that the page may have.
    init(for replica: ReplicaID, after start: UInt64, echo: UInt64, upTo: UInt64, bytesMax: Int) {
        self.replica = replica
        self.echo = echo
        self.upTo = upTo
        self.bytesMax = max(1, bytesMax)
        lastWhole = start
        sequence = start
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// Adds the next record unless it is the replica's own; returns whether to go on.
    mutating func add(_ message: UnsafeRawBufferPointer, sequence next: UInt64, author: ReplicaID) -> Bool {
        if next != sequence {
            lastWhole = sequence
            wholeCount = bytes.count
            sequence = next
            if next > upTo { return false }
            if bytes.count >= bytesMax {
                hasMore = true
                return false
            }
        }
        if author == replica, next > echo { return true }
        // One transaction alone may be larger than a page; with others before it, it opens the next one.
        if wholeCount > 0, bytes.count + message.count > bytesMax {
            bytes.removeSubrange(wholeCount...)
            hasMore = true
            return false
        }
        append(message)
        return true
    }

    mutating func finish(with tail: [UInt8]) -> [UInt8] {
        bytes.append(contentsOf: tail)
        return bytes
    }

    /// Writes field 1 of a PullReply: its tag, the length, the message.
    private mutating func append(_ message: UnsafeRawBufferPointer) {
        bytes.append(1 << 3 | 2)
        var rest = message.count
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
        bytes.append(contentsOf: message)
    }
}
