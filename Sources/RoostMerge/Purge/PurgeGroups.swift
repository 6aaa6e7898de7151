package import RoostModel

/// Sets of records that are purged together, in ascending order of their least record.
///
/// In each set a record comes before the nearest record that hides it by a delete, and before the records between the two.
/// Records of equal distance come in ascending order.
package struct PurgeGroups: RandomAccessCollection, Sendable {
    private var keys: [RecordKey] = []
    /// The end of each group in ``keys``. A group of one record, as most are, needs nothing else.
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
