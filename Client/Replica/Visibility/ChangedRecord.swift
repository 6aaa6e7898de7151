internal import RoostModel

/// A record whose slots changed.
struct ChangedRecord {
    var key: RecordKey
    /// What it is by its slots now.
    var own: OwnState
    /// Its stored references, where they are at hand.
    var references: [Put.Reference]?
}
