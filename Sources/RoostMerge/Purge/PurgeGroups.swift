package import RoostModel

/// Sets of records that are purged together, in ascending order of their least. In each set a record comes before the nearest one that hides
/// it by its delete, and before those between the two; records of one distance come in ascending order.
package struct PurgeGroups: RandomAccessCollection, Sendable {
    private var keys: [RecordKey] = []
    /// Where each group ends in ``keys``; where a group has one record, as most have, that is all there is of it.
    private var ends: [UInt32] = []

    package init() {}

    init(capacity: Int) { keys.reserveCapacity(capacity) }

    package var startIndex: Int { 0 }
    package var endIndex: Int { ends.count }

    package subscript(_ index: Int) -> ArraySlice<RecordKey> {
        keys[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
    }

    mutating func add(_ key: RecordKey, isFirst: Bool) {
        keys.append(key)
        if isFirst { ends.append(UInt32(keys.count)) } else { ends[ends.count - 1] = UInt32(keys.count) }
    }
}
