import BenchmarkData
import Foundation
import Replica
import RoostModel

/// A new folder for the files of a path.
struct Workplace {
    /// The number of records in a round of most paths.
    static let recordsPerRound = 1000

    let folder: URL

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func makeReplica(_ name: String) throws -> Replica {
        try Replica.create(at: path(name), schema: try Schema(json: Workload.schema), durability: .normal)
    }

    /// Makes a replica that has pulled the people of `work`.
    func makeReplica(_ name: String, with people: [Person]) throws -> Replica {
        let replica = try makeReplica(name)
        _ = try replica.apply(people.map { $0.state(at: Self.stamp(0)) }, checkpoint: [1], serverTime: nil)
        return replica
    }

    /// Returns the records of all rounds.
    static func work() -> Workload {
        let count = recordsPerRound * HotPath.roundsMax
        return Workload(people: count / Person.spendingsEach, spendings: count, seed: 11)
    }

    /// Returns the spendings of one round.
    static func spendings(_ work: Workload, _ round: Int) -> ArraySlice<Spending> {
        work.spendings[round * recordsPerRound..<(round + 1) * recordsPerRound]
    }

    /// Returns a stamp of another device, `hour` hours after the first.
    static func stamp(_ hour: Int) -> HybridTimestamp {
        HybridTimestamp(
            milliseconds: 1_760_000_000_000 + UInt64(hour) * 3_600_000, counter: 0, replica: ReplicaID(rawValue: 9))
    }
}
