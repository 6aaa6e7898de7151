import ArgumentParser
import BenchmarkData
import Replica

/// The table of spendings, as a connection of plain SQL sees it.
final class ObservedTable {
    private let database: RawDatabase
    private let last: RawStatement
    private var seen = 0

    init(_ path: String, _ durability: Durability) throws {
        database = try RawDatabase(path, durability)
        last = try database.prepare("SELECT max(rowid) FROM spending")
    }

    /// Says when each new row was there, by the clock that all processes share. Without it nobody would go on: the program ends where that
    /// fails.
    func look() {
        do {
            let newest = try last.step() ? last.integer(0) : 0
            last.reset()
            let now = Stopwatch.nanoseconds
            for _ in seen..<max(seen, newest) { ObserveCommand.say("\(now)") }
            seen = max(seen, newest)
        } catch {
            ObserveCommand.exit(withError: error)
        }
    }
}
