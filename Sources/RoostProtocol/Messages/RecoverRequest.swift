package import RoostModel

/// Records that the server has lost and a replica still has, with their stamps.
package struct RecoverRequest: Hashable, Sendable {
    /// The records, at most ``Limits/recordsPerRecoverMax``. Each has at least one slot.
    package var records: [RecordState]

    package init(records: [RecordState]) {
        self.records = records
    }
}
