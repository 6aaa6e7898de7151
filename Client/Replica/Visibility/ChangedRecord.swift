internal import RoostModel

/// A record whose slots changed.
struct ChangedRecord {
    var key: RecordKey
    /// The own state of the record by its current slots.
    var own: OwnState
    /// The stored references of the record, where the caller has them.
    var references: [Put.Reference]?
}
