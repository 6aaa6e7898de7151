internal import RoostModel
internal import RoostProtocol

/// A builder of a page from records and identifiers of purged records, whole sequences only.
struct PageBuilder {
    /// The identifier of a purged record, with its size in a page.
    struct Purged {
        var sequence: UInt64
        var key: RecordKey
        /// The bytes of the identifier, and of the record sent with it if the record was written again.
        var size = PageBuilder.identifierBytesMax
    }

    /// The maximum size of a purged record's identifier, in bytes, with its tag and length.
    static let identifierBytesMax = 24

    /// Whether the page had no room for a record or an identifier up to the last sequence.
    private(set) var hasMore = false
    /// The last sequence all of whose records have been seen.
    private(set) var lastWhole: UInt64

    private var writer = ProtobufWriter()
    /// The bytes of records in the whole sequences.
    private var wholeCount = 0
    /// The number of identifiers of ``purged`` that have been added.
    private var identifiers = 0
    private var identifiersSize = 0
    private var whole = (identifiers: 0, size: 0)
    private var sequence: UInt64
    private let replica: ReplicaID
    private let echo: UInt64
    private let purged: [Purged]
    private let upTo: UInt64
    private let bytesMax: Int

    /// Creates an empty page.
    ///
    /// - Parameters:
    ///   - start: The sequence that the page follows.
    ///   - echo: The sequence up to which the replica may not have its own changes.
    ///   - purged: The identifiers up to `upTo`, in the order of their sequences.
    ///   - upTo: The last sequence that the page may have.
    ///   - bytesMax: The maximum bytes of records and identifiers, unless one sequence alone is larger.
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
    var hasNoRecords: Bool { writer.bytes.isEmpty }

    /// The identifiers in the page.
    var keys: [RecordKey] { purged.prefix(identifiers).map(\.key) }

    /// Adds the next record unless the replica wrote it; returns whether to continue.
    mutating func add(_ message: UnsafeRawBufferPointer, sequence next: UInt64, author: ReplicaID) -> Bool {
        if next != sequence {
            guard addIdentifiers(before: next), begin(next) else { return false }
        }
        if author == replica, next > echo { return true }
        guard hasRoom(for: message.count) else { return false }
        writer.writeBytes(1, message)
        return true
    }

    /// Adds the identifiers that follow the last record.
    mutating func addRest() {
        guard !hasMore else { return }
        _ = addIdentifiers(before: .max)
    }

    mutating func finish(with tail: [UInt8]) -> [UInt8] {
        writer.append(tail)
        return writer.bytes
    }

    // MARK: Sequences

    private var size: Int { writer.bytes.count + identifiersSize }

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

    /// Starts a sequence; returns whether the page may contain a part of it.
    private mutating func begin(_ next: UInt64) -> Bool {
        lastWhole = sequence
        wholeCount = writer.bytes.count
        whole = (identifiers, identifiersSize)
        sequence = next
        if next > upTo { return false }
        if size >= bytesMax {
            hasMore = true
            return false
        }
        return true
    }

    /// Returns whether the page may have `count` more bytes. A single transaction may exceed the size of a page. After
    /// other transactions it moves to the next page.
    private mutating func hasRoom(for count: Int) -> Bool {
        guard wholeCount + whole.size > 0, size + count > bytesMax else { return true }
        writer.removeBytes(from: wholeCount)
        (identifiers, identifiersSize) = whole
        hasMore = true
        return false
    }
}
