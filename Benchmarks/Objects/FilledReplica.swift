import BenchmarkData
import Foundation
import Objects
import Replica
import RoostModel

/// A replica that has pulled people and their spendings. It has no pending changes.
struct FilledReplica {
    private static let pageSize = 1000
    private static let stamp = HybridTimestamp(
        milliseconds: 1_760_000_000_000, counter: 0, replica: ReplicaID(rawValue: 9))

    let path: String
    let work: Workload
    private let replica: Replica
    private let people: Int

    init(_ context: Context, people: Int, spendings: Int) throws {
        self.people = people
        path = try context.freshPath("objects")
        work = Workload(people: people, spendings: spendings, seed: 10)
        replica = try context.makeReplica(path, .normal)
        let states = work.people.map { $0.state(at: Self.stamp) } + work.spendings.map { $0.state(at: Self.stamp) }
        for start in stride(from: 0, to: states.count, by: Self.pageSize) {
            let page = Array(states[start..<min(start + Self.pageSize, states.count)])
            _ = try replica.apply(page, checkpoint: [1], serverTime: nil)
        }
    }

    func coordinator() throws -> StoreCoordinator {
        try StoreCoordinator(replica, classes: [PersonObject.self, SpendingObject.self])
    }

    /// Returns spendings of these people that the replica does not have.
    func spendings(_ count: Int) -> [Spending] {
        Workload(people: people, spendings: count, seed: 10).spendings
    }

    func close() throws { try replica.close() }
}
