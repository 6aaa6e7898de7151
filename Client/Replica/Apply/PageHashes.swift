internal import Dispatch
internal import RoostModel
internal import Synchronization

/// What hashing the records of a page gives, worked out by another thread while this one writes their rows.
///
/// Nobody waits for it: a record that the other thread has not come to is hashed by whoever needs it. So a page takes no longer
/// where no other processor is free, and what comes out is the same in either case.
final class PageHashes: @unchecked Sendable {
    /// The slots of a record, and what it adds to a digest.
    struct Hashed {
        var stamps: SlotStamps
        var term: UInt128

        init(_ record: RecordState) {
            stamps = record.stamps
            term = ScopeDigest.term(record.key, stamps)
        }
    }

    /// Fewer records than this are written before the other thread is awake.
    static let recordsMin = 256
    /// How many records it leaves to the thread that woke it, from where that is.
    private static let lead = 16

    private let records: [RecordState]
    /// Written by the other thread up to `done`, and only read before that.
    private let hashed: UnsafeMutablePointer<Hashed>
    /// Which of them are there: from the first up to, not including, the second.
    private let from: Atomic<Int>
    private let done: Atomic<Int>
    /// Where the reader is; beyond the last once it needs no more.
    private let reader = Atomic<Int>(0)

    /// Begins to hash.
    init(_ records: [RecordState]) {
        self.records = records
        hashed = .allocate(capacity: records.count)
        from = Atomic(records.count)
        done = Atomic(0)
        DispatchQueue.global(qos: .userInitiated).async { self.work() }
    }

    deinit { hashed.deallocate() }

    /// What is known of a record by now.
    ///
    /// - Parameter index: Its place in the page; places are asked for in order.
    subscript(_ index: Int) -> Hashed? {
        reader.store(index, ordering: .relaxed)
        // Read first: what it says is there was written before it, the first place too.
        guard index < done.load(ordering: .acquiring), index >= from.load(ordering: .relaxed) else { return nil }
        return hashed[index]
    }

    /// Nothing more will be asked for.
    func end() { reader.store(records.count, ordering: .relaxed) }

    private func work() {
        var next = reader.load(ordering: .relaxed) + Self.lead
        from.store(next, ordering: .relaxed)
        // Where the reader has overtaken it, it is of no use.
        while next < records.count, reader.load(ordering: .relaxed) < next {
            (hashed + next).initialize(to: Hashed(records[next]))
            next += 1
            done.store(next, ordering: .releasing)
        }
    }
}
