internal import Dispatch
internal import RoostModel
internal import Synchronization

/// What the records of a page say, found out by another thread while this one writes their rows.
///
/// Nobody waits for it: a record that the other thread has not come to is read by whoever needs it. So a page takes no longer
/// where no other processor is free, and what comes out is the same in either case.
final class PageReading: @unchecked Sendable {
    /// A record as it is to be merged and written.
    struct Read {
        /// Its slots, the content hashed.
        var stamps: SlotStamps
        /// What it adds to a digest.
        var term: UInt128
        /// Its put's content, which lies in the reading; `nil` where there is none, or it takes more than the page and the schema to tell.
        var content: Result<RowCoding.Row, RowCoding.Unfit>?
    }

    /// Fewer records than this are written before the other thread is awake.
    static let recordsMin = 256
    /// How many records it leaves to the thread that woke it, from where that is.
    private static let lead = 16

    private let records: [RecordState]
    private let layout: Layout
    /// Written by the other thread up to `done`, and only read before that.
    private let read: UnsafeMutablePointer<Read>
    /// Where what has been read lies. The other thread's alone, as the next is.
    private var memory = GrowingMemory()
    private var last: (entity: EntityID, coding: RowCoding)?
    /// Which of them are there: from the first up to, not including, the second.
    private let from: Atomic<Int>
    private let done: Atomic<Int>
    /// Where the reader is; beyond the last once it needs no more.
    private let reader = Atomic<Int>(0)

    /// Begins to read.
    init(_ records: [RecordState], _ layout: Layout) {
        self.records = records
        self.layout = layout
        read = .allocate(capacity: records.count)
        from = Atomic(records.count)
        done = Atomic(0)
        DispatchQueue.global(qos: .userInitiated).async { self.work() }
    }

    deinit {
        let first = from.load(ordering: .relaxed)
        (read + first).deinitialize(count: max(0, done.load(ordering: .acquiring) - first))
        read.deallocate()
    }

    /// What is known of a record by now.
    ///
    /// - Parameter index: Its place in the page; places are asked for in order.
    subscript(_ index: Int) -> Read? {
        reader.store(index, ordering: .relaxed)
        // Read first: what it says is there was written before it, the first place too.
        guard index < done.load(ordering: .acquiring), index >= from.load(ordering: .relaxed) else { return nil }
        return read[index]
    }

    /// Nothing more will be asked for.
    func end() { reader.store(records.count, ordering: .relaxed) }

    private func work() {
        var next = reader.load(ordering: .relaxed) + Self.lead
        from.store(next, ordering: .relaxed)
        // Where the reader has overtaken it, it is of no use.
        while next < records.count, reader.load(ordering: .relaxed) < next {
            let record = records[next]
            let stamps = record.stamps
            (read + next).initialize(
                to: Read(
                    stamps: stamps, term: ScopeDigest.term(record.key, stamps),
                    content: record.put.flatMap { content($0.encoded, of: record.key.entity) }))
            next += 1
            done.store(next, ordering: .releasing)
        }
    }

    /// Reads a copy: nothing says that the put's own bytes stay where they are.
    private func content(_ encoded: [UInt8], of entity: EntityID) -> Result<RowCoding.Row, RowCoding.Unfit>? {
        guard let coding = coding(entity) else { return nil }
        let cells = memory.take(RowCoding.Row.Cell.self, count: coding.slots.count)
        let bytes = memory.take(UInt8.self, count: encoded.count)
        _ = bytes.initialize(from: encoded)
        var isForSQLite = false
        do throws(RowCoding.Unfit) {
            let row = try coding.read(UnsafeRawBufferPointer(bytes), into: cells) { _ in
                isForSQLite = true
                return true
            }
            return isForSQLite ? nil : .success(row)
        } catch {
            return isForSQLite ? nil : .failure(error)
        }
    }

    private func coding(_ entity: EntityID) -> RowCoding? {
        if let last, last.entity == entity { return last.coding }
        guard let table = layout[entity] else { return nil }
        let coding = RowCoding(copying: table)
        last = (entity, coding)
        return coding
    }
}
