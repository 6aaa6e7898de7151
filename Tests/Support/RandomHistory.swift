internal import RoostMerge
package import RoostModel

/// Random changes of the test-vector schema.
package enum RandomHistory {
    /// Returns changes with distinct stamps in random order of arrival.
    package static func changes(
        count: Int, records: Int, using random: inout SplitMix64
    ) -> [Change] {
        let stamps = Array(1...UInt64(count)).shuffled(using: &random)
        return stamps.map { stamp in
            let key = RecordKey(entity: ReplayHistory.entity, id: id(Int.random(in: 0..<records, using: &random)))
            var kind = Change.Kind.delete
            if Int.random(in: 0..<10, using: &random) < 7 {
                let references = (1...6).compactMap { relationship -> Put.Reference? in
                    guard Int.random(in: 0..<3, using: &random) == 0 else { return nil }
                    return .init(
                        relationship: PropertyID(UInt32(relationship)),
                        target: id(Int.random(in: 0..<records, using: &random)))
                }
                kind = .put(Put(references: references).encoded(), base: nil)
            }
            return Change(
                key: key, stamp: HybridTimestamp(milliseconds: stamp, counter: 0, replica: ReplayHistory.author),
                kind: kind)
        }
    }

    private static func id(_ number: Int) -> RecordID {
        RecordID(high: UInt64(UInt8(ascii: "a") + UInt8(number)) << 56, low: 0)
    }
}
