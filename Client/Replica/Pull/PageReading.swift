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
    /// How many bytes of content are read ahead; records behind those are only hashed. A page of 1 MiB takes some 4 MiB, but records that say
    /// little, of an entity with hundreds of attributes, would take a hundred times what they say.
    static let bytesMax = 16 << 20
    /// How many records it leaves to the thread that woke it, from where that is.
    private static let lead = 16

    private let records: [RecordState]
    private let layout: Layout
    /// Each is written by the other thread, and only read once it is said to be there.
    private let read: UnsafeMutablePointer<Read>
    private let isThere: UnsafeMutablePointer<Atomic<Bool>>
    /// Where what has been read lies. The other thread's alone, as the next is.
    private var memory = GrowingMemory()
    private var last: (entity: EntityID, coding: RowCoding)?
    /// Where the reader is; beyond the last once it needs no more.
    private let reader = Atomic<Int>(0)

    /// Begins to read.
    init(_ records: [RecordState], _ layout: Layout) {
        self.records = records
        self.layout = layout
        read = .allocate(capacity: records.count)
        isThere = .allocate(capacity: records.count)
        for index in records.indices { (isThere + index).initialize(to: Atomic(false)) }
        DispatchQueue.global(qos: .userInitiated).async { self.work() }
    }

    deinit {
        for index in records.indices where isThere[index].load(ordering: .acquiring) {
            (read + index).deinitialize(count: 1)
        }
        isThere.deinitialize(count: records.count)
        isThere.deallocate()
        read.deallocate()
    }

    /// What is known of a record by now.
    ///
    /// - Parameter index: Its place in the page; the other thread reads on from behind the place that was asked for last.
    subscript(_ index: Int) -> Read? {
        reader.store(index, ordering: .relaxed)
        return isThere[index].load(ordering: .acquiring) ? read[index] : nil
    }

    /// Nothing more will be asked for.
    func end() { reader.store(records.count, ordering: .relaxed) }

    private func work() {
        var next = Self.lead
        while true {
            // Overtaken, it goes on ahead of the reader.
            let reader = reader.load(ordering: .relaxed)
            if reader >= next { next = reader + Self.lead }
            guard next < records.count else { return }
            let record = records[next]
            let stamps = record.stamps
            (read + next).initialize(
                to: Read(
                    stamps: stamps, term: ScopeDigest.term(record.key, stamps),
                    content: record.put.flatMap { content($0.encoded, of: record.key.entity) }))
            isThere[next].store(true, ordering: .releasing)
            next += 1
        }
    }

    /// Reads a copy: nothing says that the put's own bytes stay where they are.
    private func content(_ encoded: [UInt8], of entity: EntityID) -> Result<RowCoding.Row, RowCoding.Unfit>? {
        guard memory.size < Self.bytesMax, let coding = coding(entity) else { return nil }
        let cells = memory.take(RowCoding.Row.Cell.self, count: coding.slots.count)
        let bytes = memory.take(UInt8.self, count: encoded.count)
        _ = bytes.initialize(from: encoded)
        do throws(RowCoding.Unfit) {
            return .success(try coding.read(UnsafeRawBufferPointer(bytes), into: cells))
        } catch {
            return .failure(error)
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
