import BenchmarkData
import Replica
import RoostModel

/// The row "pull" without anything specific to Roost: each row, with its stamp and hash, is written to B-trees of equal shape
/// in a file of equal page size. It is a lower bound: nothing is sent, read, hashed or merged.
struct BarePull {
    /// The approximate number of records in a page of the server.
    private static let perTransaction = 8000
    private static let rounds = 3

    let context: Context
    let durability: Durability

    /// Returns the speed in records per second.
    func speed(_ spendings: [Spending]) throws -> Double {
        let seconds = try (0..<Self.rounds).map { _ in
            let path = try context.freshPath("bare")
            defer { context.remove(path) }
            let device = try BareDevice(path, durability)
            return try Stopwatch.seconds {
                for start in stride(from: 0, to: spendings.count, by: Self.perTransaction) {
                    let page = spendings[start..<min(start + Self.perTransaction, spendings.count)]
                    try device.take(page, RecordID(high: 1, low: 1))
                }
            }
        }
        return Samples(seconds).speed(of: spendings.count).median
    }
}
