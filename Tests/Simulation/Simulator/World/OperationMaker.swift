internal import RoostModel

/// Draws what a user does next, from what the replica shows.
struct OperationMaker {
    private let view: ReplicaView
    private let device: Int
    /// The version of the schema that the device's programs are of.
    private let version: Int
    /// Numbers the markers: no two writes have the same text.
    private var count: Int
    private let visible: [RecordKey]
    private let hidden: [RecordKey]

    init(_ view: ReplicaView, device: Int, version: Int, count: Int) {
        self.view = view
        self.device = device
        self.version = version
        self.count = count
        let isPair = [SampleSchema.debit, SampleSchema.credit]
        let keys = view.rows.keys.filter { !isPair.contains($0.entity) }.sorted()
        visible = keys.filter { view.rows[$0]?.isVisible ?? false }
        hidden = keys.filter { !(view.rows[$0]?.isVisible ?? true) }
    }

    private(set) var used = 0

    /// No put may be larger than this, and none is but those that are made to be.
    static let largeBytes = 1000
    private var padding = ""

    /// One to four operations that belong together.
    mutating func transaction(using random: inout SplitMix64) -> [Operation] {
        if random.next() % 4 == 0 { return pair(using: &random) }
        return (0..<Int(random.next() % 3 + 1)).map { _ in operation(using: &random) }
            + (random.next() % 6 == 0 ? pair(using: &random) : [])
    }

    /// One operation more, whose record is too large.
    mutating func tooLarge(using random: inout SplitMix64) -> [Operation] {
        let others = transaction(using: &random)
        padding = String(repeating: "x", count: Self.largeBytes)
        defer { padding = "" }
        guard let key = toEdit(using: &random), random.next() % 2 == 0 else {
            return others + [create(using: &random)]
        }
        return [.setText(key, marker: marker())] + others
    }

    /// A folder is moved below its own child, which is deleted: the cycle is cut at the folder, which stays, and still names the
    /// child.
    mutating func cycle(using random: inout SplitMix64) -> [Operation] {
        func any() -> RecordKey {
            RecordKey(
                entity: SampleSchema.folder,
                id: RecordID(high: UInt64(SampleSchema.folder.rawValue), low: random.next() % 8))
        }
        let there = visible.filter { $0.entity == SampleSchema.folder }.randomElement(using: &random)
        let (folder, child) = (there ?? any(), any())
        guard folder != child else { return [] }
        let new: [Operation] =
            there == nil ? [.put(folder, marker: marker(), number: 0, references: [:])] : []
        return new + [
            .put(child, marker: marker(), number: 0, references: ["parent": folder.id]),
            .setReference(folder, column: "parent", child.id, marker: marker()), .delete(child),
        ]
    }

    private mutating func marker() -> String {
        used += 1
        return "w\(count + used)\(padding)"
    }

    /// Two halves that add up to nothing; nobody else writes them again.
    private mutating func pair(using random: inout SplitMix64) -> [Operation] {
        let amount = Int64(random.next() % 1000) + 1
        let id = RecordID(high: UInt64(device) << 32 | UInt64(count + used), low: random.next())
        return [
            .put(RecordKey(entity: SampleSchema.debit, id: id), marker: marker(), number: amount, references: [:]),
            .put(RecordKey(entity: SampleSchema.credit, id: id), marker: marker(), number: -amount, references: [:]),
        ]
    }

    private mutating func operation(using random: inout SplitMix64) -> Operation {
        switch random.next() % 12 {
        case 0...3: return create(using: &random)
        case 4, 5:
            guard let key = toEdit(using: &random) else { return create(using: &random) }
            return .setText(key, marker: marker(), notes: notes(key.entity, using: &random))
        case 6, 7:
            guard let key = toEdit(using: &random),
                let reference = SampleSchema.references.filter({ $0.entity == key.entity }).randomElement(
                    using: &random)
            else { return create(using: &random) }
            return .setReference(
                key, column: reference.column, target(reference.destination, using: &random), marker: marker())
        case 8...10:
            guard let key = visible.randomElement(using: &random) else { return create(using: &random) }
            return .delete(key)
        default:
            guard let key = hidden.randomElement(using: &random) else { return create(using: &random) }
            return .undelete(key)
        }
    }

    /// Mostly an item: those have attributes that programs of earlier versions do not know.
    private func toEdit(using random: inout SplitMix64) -> RecordKey? {
        let items = visible.filter { $0.entity == SampleSchema.item }
        return (random.next() % 3 == 0 || items.isEmpty ? visible : items).randomElement(using: &random)
    }

    /// From so few identifiers that devices often mean the same record.
    private mutating func create(using random: inout SplitMix64) -> Operation {
        let kinds = [
            SampleSchema.folder, SampleSchema.folder, SampleSchema.item, SampleSchema.item, SampleSchema.item,
            SampleSchema.label, SampleSchema.owner,
        ]
        var entity = kinds[Int(random.next() % 7)]
        if version > 1, random.next() % 6 == 0 {
            entity = SampleSchema.extras(version: version).randomElement(using: &random)?.entity ?? entity
        }
        let id = RecordID(high: UInt64(entity.rawValue), low: random.next() % 8)
        var references: [String: RecordID] = [:]
        for reference in SampleSchema.references where reference.entity == entity && random.next() % 2 == 0 {
            references[reference.column] = target(reference.destination, using: &random)
        }
        return .put(
            RecordKey(entity: entity, id: id), marker: marker(), number: Int64(random.next() % 100),
            references: references, notes: notes(entity, using: &random))
    }

    /// Some of the attributes that programs of earlier versions know nothing of.
    private func notes(_ entity: EntityID, using random: inout SplitMix64) -> [String] {
        guard entity == SampleSchema.item, version > 1 else { return [] }
        return SampleSchema.notes(version: version).map(\.name).filter { _ in random.next() % 4 != 0 }
    }

    /// Mostly a record that is there; seldom one that is not, or nil.
    private func target(_ entity: EntityID, using random: inout SplitMix64) -> RecordID? {
        let there = visible.filter { $0.entity == entity }
        switch random.next() % 10 {
        case 0: return nil
        case 1: return RecordID(high: UInt64(entity.rawValue), low: random.next() % 8)
        default: return there.randomElement(using: &random)?.id
        }
    }
}
