import BenchmarkData
import Replica

/// The table of spendings, as a connection of plain SQL sees it.
///
/// Used by one thread at a time: the one that takes in what others wrote.
final class ObservedTable: @unchecked Sendable {
    private let database: RawDatabase
    private let last: RawStatement
    private var seen = 0

    init(_ path: String, _ durability: Durability) throws {
        database = try RawDatabase(path, durability)
        last = try database.prepare("SELECT max(rowid) FROM spending")
    }

    /// Says when each new row was there, by the clock that all processes share.
    func look() {
        let newest = (try? last.step()) == true ? last.integer(0) : 0
        last.reset()
        let now = Stopwatch.nanoseconds
        for _ in seen..<max(seen, newest) { ObserveCommand.say("\(now)") }
        seen = max(seen, newest)
    }
}
