internal import RoostMerge
internal import RoostModel

/// Many changed records, divided so that what is derived from them at a time fits into little memory.
///
/// Each part leaves the tables as the facts demand, with the records of later parts taken as their rows are; the last part
/// leaves them as one derivation of all would. A delete comes before the delete of what it hangs off, and a put after that
/// of what it hangs off: so few rows are moved twice.
struct ChangesInTurns {
    /// How many changes one part has at most.
    #if DEBUG
        /// Tests divide few changes, too.
        @TaskLocal static var changesAtOnce = 4096
    #else
        static let changesAtOnce = 4096
    #endif

    /// As how many changes one counts of a record that others may hang off: those may have to be moved with it.
    private static let parentWeight = 8

    /// Entities of which records may have others that hang off them by cascade.
    private let parents: Set<EntityID>
    /// In the order in which they are to be derived from, one of each record.
    private(set) var changes: [ChangedRecord] = []
    /// All records that changed.
    private(set) var keys: Set<RecordKey>

    /// - Parameter all: The last of one record counts.
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
        // Entities that the schema does not know.
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
