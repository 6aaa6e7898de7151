import BenchmarkData
import Replica
import Roost
import Transport

/// A device that synchronises in this process. Its connection is kept between synchronisations, and shared with no other
/// device.
struct Device {
    let replica: Replica
    private let pool = TransportPool()

    init(_ replica: Replica) { self.replica = replica }

    /// - Returns: The report of the synchronisation, after which the replica is up to date.
    @discardableResult
    func synchronise() async throws -> SyncReport {
        let report = try await replica.synchronise(by: pool)
        guard report.isUpToDate else { throw BenchmarkError("A device is not up to date: \(report.state)") }
        return report
    }
}
