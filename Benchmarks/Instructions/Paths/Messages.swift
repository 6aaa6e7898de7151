import BenchmarkData
import RoostModel
import RoostProtocol

/// Messages of 1,000 records, one for each round.
enum Messages {
    /// The error of a path that did no work.
    static let isEmpty = BenchmarkError("Expected records, found none.")

    static let scope = ScopeID(RecordID(high: 1, low: 2))

    /// - Parameters:
    ///   - author: The replica that stamps the changes.
    ///   - milliseconds: The time of the first change, since 1970.
    static func pushes(
        by author: ReplicaID = Workplace.stamp(0).replica, at milliseconds: UInt64 = Workplace.stamp(0).milliseconds
    ) -> [PushRequest] {
        let work = Workplace.work()
        return (0..<HotPath.roundsMax).map { round in
            let changes = Workplace.spendings(work, round).enumerated().map { index, spending in
                let stamp = HybridTimestamp(
                    milliseconds: milliseconds + UInt64(round), counter: UInt16(index), replica: author)
                return Change(key: spending.key, stamp: stamp, kind: .put(spending.encoded, base: nil))
            }
            return PushRequest(
                number: UInt64(round) + 1, checkpoint: nil, transactions: [.init(changes: changes)])
        }
    }

    static func pages() -> [PullReply] {
        let work = Workplace.work()
        return (0..<HotPath.roundsMax).map { round in
            let records = Workplace.spendings(work, round).enumerated().map { index, spending in
                spending.state(
                    at: HybridTimestamp(
                        milliseconds: Workplace.stamp(round).milliseconds, counter: UInt16(index),
                        replica: Workplace.stamp(0).replica))
            }
            return PullReply(
                records: records, checkpoint: Checkpoint(bytes: [UInt8](repeating: 1, count: 48)), hasMore: true,
                digest: nil, schemaVersion: 1, serverTime: Workplace.stamp(9).milliseconds)
        }
    }
}
