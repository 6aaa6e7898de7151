internal import RoostModel

extension Change {
    var slot: Outbox.Slot { if case .put = kind { .put } else { .delete } }
    /// The stamp of the put on which this change is based; `nil` for a delete and for a new record.
    var base: HybridTimestamp? { if case .put(_, let base) = kind { base } else { nil } }
    var encodedPut: [UInt8]? { if case .put(let encoded, _) = kind { encoded } else { nil } }
}
