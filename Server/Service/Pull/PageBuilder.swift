internal import RoostModel
internal import RoostProtocol

/// Collects the records and the identifiers of purged records of a page, whole sequences only.
struct PageBuilder {
    /// An identifier of a purged record, as it counts in a page.
    struct Purged {
        var sequence: UInt64
        var key: RecordKey
        /// Bytes that the identifier takes, and the record that is sent with it where it was written again.
        var size = PageBuilder.identifierBytesMax
    }

    /// Bytes of an identifier of a purged record at most, its tag and length included.
    static let identifierBytesMax = 24

    /// Whether a record or an identifier up to the last sequence did not find room.
    private(set) var hasMore = false
    /// The last sequence all of whose records have been seen.
    private(set) var lastWhole: UInt64

    private var bytes: [UInt8] = []
    /// Bytes of records in the whole sequences.
    private var wholeCount = 0
    /// Identifiers that have been added, as a count of ``purged``.
    private var identifiers = 0
    private var identifiersSize = 0
    private var whole = (identifiers: 0, size: 0)
    private var sequence: UInt64
    private let replica: ReplicaID
    private let echo: UInt64
    private let purged: [Purged]
    private let upTo: UInt64
    private let bytesMax: Int

    /// - Parameters:
    ///   - start: The sequence that the page follows.
    ///   - echo: The sequence up to which the replica may not know its own changes.
    ///   - purged: The identifiers up to `upTo`, in the order of their sequences.
    ///   - upTo: The last sequence that the page may have.
    ///   - bytesMax: Bytes of records and identifiers, unless one sequence alone is larger.
    init(
        for replica: ReplicaID, after start: UInt64, echo: UInt64, purged: [Purged], upTo: UInt64, bytesMax: Int
    ) {
        self.replica = replica
        self.echo = echo
        self.purged = purged
        self.upTo = upTo
        self.bytesMax = max(1, bytesMax)
        lastWhole = start
        sequence = start
    }

    /// Whether the page has no records so far.
    var hasNoRecords: Bool { bytes.isEmpty }

    /// The identifiers in the page.
    var keys: [RecordKey] { purged.prefix(identifiers).map(\.key) }

    /// Adds the next record unless it is the replica's own; returns whether to go on.
    mutating func add(_ message: UnsafeRawBufferPointer, sequence next: UInt64, author: ReplicaID) -> Bool {
        if next != sequence {
            guard addIdentifiers(before: next), begin(next) else { return false }
        }
        if author == replica, next > echo { return true }
        guard hasRoom(for: message.count) else { return false }
        append(message)
        return true
    }

    /// Adds the identifiers that follow the last record.
    mutating func addRest() {
        guard !hasMore else { return }
        _ = addIdentifiers(before: .max)
    }

    mutating func finish(with tail: [UInt8]) -> [UInt8] {
        bytes.append(contentsOf: tail)
        return bytes
    }

    // MARK: Sequences

    private var size: Int { bytes.count + identifiersSize }

    private mutating func addIdentifiers(before end: UInt64) -> Bool {
        while identifiers < purged.count, purged[identifiers].sequence < end {
            let next = purged[identifiers]
            if next.sequence != sequence {
                guard begin(next.sequence) else { return false }
            }
            guard hasRoom(for: next.size) else { return false }
            identifiers += 1
            identifiersSize += next.size
        }
        return true
    }

    /// Goes on to a sequence; returns whether the page may have some of it.
    private mutating func begin(_ next: UInt64) -> Bool {
        lastWhole = sequence
        wholeCount = bytes.count
        whole = (identifiers, identifiersSize)
        sequence = next
        if next > upTo { return false }
        if size >= bytesMax {
            hasMore = true
            return false
        }
        return true
    }

    /// One transaction alone may be larger than a page; with others before it, it opens the next one.
    private mutating func hasRoom(for count: Int) -> Bool {
        guard wholeCount + whole.size > 0, size + count > bytesMax else { return true }
        bytes.removeSubrange(wholeCount...)
        (identifiers, identifiersSize) = whole
        hasMore = true
        return false
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
