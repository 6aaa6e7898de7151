internal import RoostModel

/// The refusal of records that could not be sent. Without it a write would take effect here, and the next synchronisation would
/// refuse and revert it.
extension LocalTransaction {
    /// Checks the contents of all written records that are visible.
    ///
    /// - Throws: ``ReplicaError`` with the code `tooLarge`; the caller has to roll the transaction back.
    func checkLimits() throws {
        // Triggers may have masked references.
        try rows.lookForMasks()
        for (key, _) in before {
            if let content = try rows.visibleContent(of: key) { try checkLimits(of: key, content.encoded) }
        }
    }

    /// Checks the present content of a written record.
    ///
    /// - Throws: As ``checkLimits()``.
    func checkLimits(of key: RecordKey, _ encoded: [UInt8]) throws {
        guard let table = layout[key.entity],
            let fault = RecordLimits.fault(
                of: encoded, columns: table.columns.count,
                name: { id in table.columns.first { $0.property == id }?.name })
        else { return }
        throw ReplicaError(.tooLarge, "Cannot write \(table.name) \(key.id): it \(fault)")
    }
}
