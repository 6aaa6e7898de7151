package import RoostModel

/// Records that the server has lost and a replica still has, with the stamps they had.
package struct RecoverRequest: Hashable, Sendable {
    /// At most ``Limits/recordsPerRecoverMax``; each has a slot at least.
    package var records: [RecordState]

    package init(records: [RecordState]) {
        self.records = records
    }
}
