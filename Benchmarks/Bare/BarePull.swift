import BenchmarkData
import Replica
import RoostModel

/// The row "pull" with nothing that is Roost's own: each row, and its stamp and hash, into trees of the same shape in a file of the same page size. A
/// floor: nothing is sent, read, hashed or merged.
struct BarePull {
    /// About what a page of the server has.
    private static let perTransaction = 8000
    private static let rounds = 3

    let context: Context
    let durability: Durability

    /// Records a second.
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
