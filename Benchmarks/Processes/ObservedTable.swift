import ArgumentParser
import BenchmarkData
import Replica

/// The table of spendings, as a plain SQL connection reads it.
final class ObservedTable {
    private let database: RawDatabase
    private let last: RawStatement
    private var seen = 0

    init(_ path: String, _ durability: Durability) throws {
        database = try RawDatabase(path, durability)
        last = try database.prepare("SELECT max(rowid) FROM spending")
    }

    /// Prints the time at which each new row was visible, by the clock that all processes share. The run depends on these
    /// lines, so the program exits if the check fails.
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
