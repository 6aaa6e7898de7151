internal import RoostModel

/// Temporary memory for identifiers, stamps and hashes that a statement binds without copying.
///
/// SQLite copies values that may change before the statement runs. It allocates and frees memory for each copy, which would cost
/// an applied record more than reading its content.
struct BlobScratch {
    /// The location of one value.
    struct Word {
        fileprivate(set) var start: UnsafeRawPointer
        /// Whether the value is the text of an identifier (``RecordID/digits``).
        fileprivate(set) var isText = false
    }

    private let room: UnsafeMutableRawBufferPointer
    private let identifiers: IdentifierForm
    private var used = 0

    /// Calls `body` with memory for `count` values, which is freed when `body` returns.
    static func withRoom<Result>(
        for count: Int, _ identifiers: IdentifierForm, _ body: (inout BlobScratch) throws -> Result
    ) rethrows -> Result {
        let size = identifiers == .bytes ? 16 : RecordID.digitCount
        return try withUnsafeTemporaryAllocation(byteCount: size * count, alignment: 8) { room in
            var words = BlobScratch(room: room, identifiers: identifiers)
            return try body(&words)
        }
    }

    private init(room: UnsafeMutableRawBufferPointer, identifiers: IdentifierForm) {
        self.room = room
        self.identifiers = identifiers
    }

    mutating func add(_ id: RecordID) -> Word {
        guard identifiers == .text else { return add(id.high, id.low) }
        let digits = UnsafeMutableRawBufferPointer(rebasing: room[used...])
        id.writeDigits(to: digits)
        used += RecordID.digitCount
        return Word(start: UnsafeRawPointer(digits.baseAddress.unsafelyUnwrapped), isText: true)
    }

    mutating func add(_ stamp: HybridTimestamp) -> Word { add(stamp.time, stamp.replica.rawValue) }

    mutating func add(_ hash: ContentHash) -> Word {
        add(UInt64(truncatingIfNeeded: hash.value >> 64), UInt64(truncatingIfNeeded: hash.value))
    }

    private mutating func add(_ high: UInt64, _ low: UInt64) -> Word {
        let start = used
        room.storeBytes(of: high.bigEndian, toByteOffset: start, as: UInt64.self)
        room.storeBytes(of: low.bigEndian, toByteOffset: start + 8, as: UInt64.self)
        used += 16
        return Word(start: UnsafeRawPointer(room.baseAddress.unsafelyUnwrapped + start))
    }
}
