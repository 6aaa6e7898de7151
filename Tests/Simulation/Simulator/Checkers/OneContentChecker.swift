internal import RoostModel

/// I15: a stamp names one content, but for what was written under an identity that two files had.
enum OneContentChecker {
    /// - Parameter shared: Identities that two files had at a time.
    static func check(_ stamp: HybridTimestamp, of record: RecordKey, shared: Set<ReplicaID>) throws {
        guard shared.contains(stamp.replica) else {
            throw Violation(.oneContent, "the stamp \(stamp) of \(record) names two contents")
        }
    }
}
