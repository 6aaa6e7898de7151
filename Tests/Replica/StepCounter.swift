import CSQLite
import GRDB

/// Counts the steps that a connection's statements take.
final class StepCounter {
    private(set) var steps = 0
    private static let interval: Int32 = 20

    func start(on database: Database) {
        sqlite3_progress_handler(
            database.sqliteConnection, Self.interval,
            { context in
                guard let context else { return 0 }
                Unmanaged<StepCounter>.fromOpaque(context).takeUnretainedValue().steps += Int(StepCounter.interval)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func stop(on database: Database) { sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil) }
}
