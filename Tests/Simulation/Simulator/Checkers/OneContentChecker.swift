internal import RoostModel

/// I15: a stamp identifies one content, except for writes under an identity that two files shared.
enum OneContentChecker {
    /// - Parameter shared: Identities that two files had at one time.
    static func check(_ stamp: HybridTimestamp, of record: RecordKey, shared: Set<ReplicaID>) throws {
        guard shared.contains(stamp.replica) else {
            throw Violation(.oneContent, "the stamp \(stamp) of \(record) names two contents")
        }
    }
}
