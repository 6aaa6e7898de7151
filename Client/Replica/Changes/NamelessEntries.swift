internal import RoostModel

/// Entries of the outbox that name neither a row nor a confirmed slot. A byte of their identifier may be corrupt.
///
/// The delete of a record that the server has purged meanwhile looks like such an entry.
struct NamelessEntries {
    let rows: RowStore
    let stamps: EffectiveStamps

    func contains(_ key: RecordKey) throws -> Bool {
        try stamps.confirmed(key) == SlotStamps() && rows.encodedPut(of: key) == nil
    }
}
