internal import RoostMerge
internal import RoostModel

/// The changed records of a large update, divided into parts so that the derivation from each needs little memory.
///
/// Each part leaves the tables as the facts demand, with the records of later parts taken as their rows are. The last part leaves
/// the tables as one derivation from all changes would.
///
/// A cascade child is deleted before its parent, and put after its parent, so that few rows move twice.
///
/// Plain path: one derivation from all changes. `ExchangeTests` and `FamilyMovesTests` compare the rows with `VisibleState`.
struct ChangesInTurns {
    /// The largest number of changes of one part.
    #if DEBUG
        /// Tests also divide few changes.
        @TaskLocal static var changesAtOnce = 4096
    #else
        static let changesAtOnce = 4096
    #endif

    /// The number of changes as which a change counts if its record may have cascade children: they may have to move with it.
    private static let parentWeight = 8

    /// The entities whose records may have cascade children.
    private let parents: Set<EntityID>
    /// The changes in the order of derivation, one for each record.
    private(set) var changes: [ChangedRecord] = []
    /// All records that changed.
    private(set) var keys: Set<RecordKey>

    /// - Parameter all: The changes; the last change of a record counts.
    init(_ all: [ChangedRecord], _ layout: Layout) {
        keys = Set(minimumCapacity: all.count)
        parents = Set(layout.rules.incoming.filter { $1.contains { $0.deleteRule == .cascade } }.keys)
        var puts: [EntityID: [ChangedRecord]] = [:]
        var others: [EntityID: [ChangedRecord]] = [:]
        for change in all.reversed() where keys.insert(change.key).inserted {
            if change.own == .put {
                puts[change.key.entity, default: []].append(change)
            } else {
                others[change.key.entity, default: []].append(change)
            }
        }
        changes.reserveCapacity(keys.count)
        let order = layout.referrersFirst
        for entity in order { changes += others.removeValue(forKey: entity)?.reversed() ?? [] }
        for entity in order.reversed() { changes += puts.removeValue(forKey: entity)?.reversed() ?? [] }
        // Changes of entities that the schema does not contain.
        for rest in others.values { changes += rest }
        for rest in puts.values { changes += rest }
    }

    /// Calls `body` with one part after the other.
    func forEach(_ body: ([ChangedRecord]) throws -> Void) rethrows {
        var (start, weight) = (0, 0)
        for (index, change) in changes.enumerated() {
            weight += parents.contains(change.key.entity) ? Self.parentWeight : 1
            guard weight >= Self.changesAtOnce || index == changes.count - 1 else { continue }
            try body(Array(changes[start...index]))
            (start, weight) = (index + 1, 0)
        }
    }
}
