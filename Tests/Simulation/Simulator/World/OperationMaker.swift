internal import RoostModel

/// Draws a user's next operations, from the state that the replica shows.
struct OperationMaker {
    private let view: ReplicaView
    private let device: Int
    /// The schema version of the device's programs.
    private let version: Int
    /// A counter for markers: each write has a unique text.
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

    /// The maximum bytes of a put. Only puts of ``tooLarge(using:)`` exceed it.
    static let largeBytes = 1000
    private var padding = ""

    /// Draws one transaction: one to three operations, a pair, or both.
    mutating func transaction(using random: inout SplitMix64) -> [Operation] {
        if random.next() % 4 == 0 { return pair(using: &random) }
        return (0..<Int(random.next() % 3 + 1)).map { _ in operation(using: &random) }
            + (random.next() % 6 == 0 ? pair(using: &random) : [])
    }

    /// Draws a transaction with one more operation, whose record is too large.
    mutating func tooLarge(using random: inout SplitMix64) -> [Operation] {
        let others = transaction(using: &random)
        padding = String(repeating: "x", count: Self.largeBytes)
        defer { padding = "" }
        guard let key = toEdit(using: &random), random.next() % 2 == 0 else {
            return others + [create(using: &random)]
        }
        return [.setText(key, marker: marker())] + others
    }

    /// Draws a move of a folder below its own child, which is deleted. The cycle is cut at the folder, which stays and still
    /// refers to the child.
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

    /// Draws two halves of a pair, whose amounts add up to zero. No other transaction writes them.
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

    /// Draws a record to edit, mostly an item: items have attributes that programs of earlier versions do not know.
    private func toEdit(using random: inout SplitMix64) -> RecordKey? {
        let items = visible.filter { $0.entity == SampleSchema.item }
        return (random.next() % 3 == 0 || items.isEmpty ? visible : items).randomElement(using: &random)
    }

    /// Draws a new record from a small range of identifiers, so that devices often write one and the same record.
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

    /// Draws some of the attributes that programs of earlier versions do not know.
    private func notes(_ entity: EntityID, using random: inout SplitMix64) -> [String] {
        guard entity == SampleSchema.item, version > 1 else { return [] }
        return SampleSchema.notes(version: version).map(\.name).filter { _ in random.next() % 4 != 0 }
    }

    /// Draws a reference's target: mostly an existing record, seldom a missing one or `nil`.
    private func target(_ entity: EntityID, using random: inout SplitMix64) -> RecordID? {
        let there = visible.filter { $0.entity == entity }
        switch random.next() % 10 {
        case 0: return nil
        case 1: return RecordID(high: UInt64(entity.rawValue), low: random.next() % 8)
        default: return there.randomElement(using: &random)?.id
        }
    }
}
