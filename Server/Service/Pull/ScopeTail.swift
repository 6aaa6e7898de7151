internal import RoostModel

/// The end of one scope's log.
struct ScopeTail {
    /// The part that readers need.
    struct Content {
        /// The scope as the last push left it.
        var scope: StoredScope
        /// The sequence after which the tail is complete.
        var start: UInt64
        /// The chain at each sequence from ``start`` on.
        var chain: [UInt64]
        /// The records in the order of sequences. A superseded record has an empty message.
        var records: [StoredRecord] = []

        /// Returns the index of the first record after a sequence.
        func firstPlace(after sequence: UInt64) -> Int {
            var (low, high) = (0, records.count)
            while low < high {
                let middle = (low + high) / 2
                if records[middle].sequence > sequence { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    /// The maximum number of sequences, and of records including superseded ones. A device that follows closely is a few
    /// sequences behind.
    static let countMax = 1024

    private var content: Content
    /// The bytes of the records' messages.
    private var bytes = 0
    /// The replicas that were read from the store.
    private var readers: [ReplicaID: StoredReplica] = [:]
    /// The index of each key's newest record, counting the dropped records.
    private var places: [RecordKey: Int] = [:]
    private var dropped = 0

    /// Creates an empty tail that ends before an addition.
    init(before addition: LogAddition) {
        content = Content(scope: addition.scope, start: addition.start, chain: [addition.chainAtStart])
        content.scope.head.sequence = addition.start
    }

    /// Whether an addition continues this tail.
    func ends(where addition: LogAddition) -> Bool {
        content.scope.head.sequence == addition.start && content.chain.last == addition.chainAtStart
            && content.scope.epoch == addition.scope.epoch
    }

    /// Whether the tail contains sequences after the start of an addition.
    func isPast(_ addition: LogAddition) -> Bool { content.scope.head.sequence > addition.start }

    /// The approximate bytes of memory.
    var size: Int { 1024 + bytes + 128 * (content.records.count + readers.count) + 8 * content.chain.count }

    mutating func admit(_ replica: StoredReplica) { readers[replica.id] = replica }

    func snapshot(for replica: ReplicaID) -> ScopeTailSnapshot? {
        readers[replica].map { ScopeTailSnapshot(reader: $0, content) }
    }

    mutating func append(_ addition: LogAddition) {
        content.scope = addition.scope
        guard let rows = addition.rows else { return startAnew() }
        content.chain += addition.chain
        for row in rows {
            if let place = places[row.key] {
                bytes -= content.records[place - dropped].message.count
                content.records[place - dropped].message = []
            }
            places[row.key] = dropped + content.records.count
            content.records.append(row.record)
            bytes += row.record.message.count
        }
        while isFull { dropHalf() }
    }

    private var isFull: Bool {
        bytes > LogAddition.bytesMax || content.chain.count > Self.countMax || content.records.count > Self.countMax
    }

    /// Drops the older half, whole sequences only, so that each record is moved a few times at most.
    private mutating func dropHalf() {
        let middle = content.records.isEmpty ? 0 : content.records[content.records.count / 2].sequence
        let end = max(content.start + UInt64(content.chain.count / 2), middle)
        guard end < content.scope.head.sequence else { return startAnew() }
        let count = content.firstPlace(after: end)
        bytes -= content.records[..<count].reduce(0) { $0 + $1.message.count }
        content.records.removeFirst(count)
        dropped += count
        places = places.filter { [dropped] in $0.value >= dropped }
        content.chain.removeFirst(Int(end - content.start))
        content.start = end
    }

    private mutating func startAnew() {
        content.start = content.scope.head.sequence
        content.chain = [content.scope.head.shortChain]
        content.records = []
        (places, dropped, bytes) = ([:], 0, 0)
    }
}
