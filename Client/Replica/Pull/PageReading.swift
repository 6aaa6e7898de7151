internal import Dispatch
internal import RoostModel
internal import Synchronization

/// Reads the records of a page on another thread while this thread writes their rows.
///
/// The writer never waits for it: it reads a record itself if the other thread has not reached it. A page therefore takes no
/// longer where no other processor is free, and the result is equal in both cases.
///
/// Plain path: the writer reads each record by ``RowCoding/withRow(_:_:)``. `PageReadingTests` compares the two.
final class PageReading: @unchecked Sendable {
    /// A record prepared for merging and writing.
    struct Read {
        /// The record's slots, with the hash of its content.
        var stamps: SlotStamps
        /// The record's contribution to a digest.
        var term: UInt128
        /// The put's content, stored in the memory of the reading; `nil` where there is no put, its entity is unknown, or
        /// ``bytesMax`` was reached.
        var content: Result<RowCoding.Row, RowCoding.Unfit>?
    }

    /// The minimum number of records: fewer are written before the other thread is awake.
    static let recordsMin = 256
    /// The number of bytes of content that are read ahead. Records after these bytes are only hashed. A page of 1 MiB takes about
    /// 4 MiB, but short records of an entity with hundreds of attributes would take a hundred times their size.
    static let bytesMax = 16 << 20
    /// The number of records after the writer's position that are left to the writer.
    private static let lead = 16

    private let records: [RecordState]
    private let layout: Layout
    /// The prepared records. The other thread writes each one, and it is read only once its `isThere` is set.
    private let read: UnsafeMutablePointer<Read>
    private let isThere: UnsafeMutablePointer<Atomic<Bool>>
    /// The memory of the content that has been read. Only the other thread uses it and `last`.
    private var memory = GrowingMemory()
    private var last: (entity: EntityID, coding: RowCoding)?
    /// The index that the writer has reached; the number of records once it needs no more.
    private let reader = Atomic<Int>(0)

    /// Starts to read on another thread.
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

    /// The prepared record; `nil` if the other thread has not read it yet.
    ///
    /// - Parameter index: The record's index in the page. The other thread continues after the index that was requested last.
    subscript(_ index: Int) -> Read? {
        reader.store(index, ordering: .relaxed)
        return isThere[index].load(ordering: .acquiring) ? read[index] : nil
    }

    /// Stops reading ahead. No record may be requested afterwards.
    func end() { reader.store(records.count, ordering: .relaxed) }

    private func work() {
        var next = Self.lead
        while true {
            // Where the writer has passed it, this thread continues ahead of the writer.
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

    /// Reads a copy of a put's content, because nothing guarantees that the put's own bytes stay where they are.
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
