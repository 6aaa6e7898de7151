internal import RoostModel

/// Entries of the outbox that name neither a row nor a confirmed slot: a byte of their identifier may have been damaged. So
/// does the delete of a record that the server has purged meanwhile.
struct NamelessEntries {
    let rows: RowStore
    let stamps: EffectiveStamps

    func contains(_ key: RecordKey) throws -> Bool {
        try stamps.confirmed(key) == SlotStamps() && rows.encodedPut(of: key) == nil
    }
}
