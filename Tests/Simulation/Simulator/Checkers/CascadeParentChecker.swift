internal import RoostModel

/// I11: no visible child under a cascade parent that is not visible, decided by the tables alone.
enum CascadeParentChecker {
    /// - Parameter cascades: The references that hide a record together with their target.
    static func check(_ view: ReplicaView, device: Int, _ cascades: [PropertyID]) throws {
        for (key, row) in view.rows where row.isVisible {
            let parents = cascades.compactMap { row.references[$0] }
            for parent in parents {
                let folder = RecordKey(entity: SampleSchema.folder, id: parent)
                guard view.rows[folder]?.isVisible != true else { continue }
                throw Violation(
                    .cascadeParent, "replica \(device) shows \(key) under \(folder), which it does not show")
            }
        }
    }
}
