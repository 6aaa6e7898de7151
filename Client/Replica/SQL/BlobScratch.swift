internal import RoostModel

/// Temporary memory for 16-byte values that a statement binds without copying.
///
/// SQLite copies values that may change before the statement runs. It allocates and frees memory for each copy, which would cost
/// an applied record more than reading its content.
struct BlobScratch {
    /// The location of one value.
    struct Word {
        fileprivate(set) var start: UnsafeRawPointer
    }

    private let room: UnsafeMutableRawBufferPointer
    private var count = 0

    /// Calls `body` with memory for `count` values, which is freed when `body` returns.
    static func withRoom<Result>(for count: Int, _ body: (inout BlobScratch) throws -> Result) rethrows -> Result {
        try withUnsafeTemporaryAllocation(byteCount: 16 * count, alignment: 8) { room in
            var words = BlobScratch(room: room)
            return try body(&words)
        }
    }

    private init(room: UnsafeMutableRawBufferPointer) { self.room = room }

    mutating func add(_ id: RecordID) -> Word { add(id.high, id.low) }
    mutating func add(_ stamp: HybridTimestamp) -> Word { add(stamp.time, stamp.replica.rawValue) }

    mutating func add(_ hash: ContentHash) -> Word {
        add(UInt64(truncatingIfNeeded: hash.value >> 64), UInt64(truncatingIfNeeded: hash.value))
    }

    private mutating func add(_ high: UInt64, _ low: UInt64) -> Word {
        let start = 16 * count
        room.storeBytes(of: high.bigEndian, toByteOffset: start, as: UInt64.self)
        room.storeBytes(of: low.bigEndian, toByteOffset: start + 8, as: UInt64.self)
        count += 1
        return Word(start: UnsafeRawPointer(room.baseAddress.unsafelyUnwrapped + start))
    }
}
