internal import GRDB

extension Database {
    /// The size of SQLite's cache for scans that exceed memory. It limits the cached pages of the file, and what one statement
    /// sorts in memory.
    private static let smallCacheKibibytes = 12 * 1024

    /// Runs `body` with a small cache, for scans that read and write each page once, in order.
    ///
    /// A larger cache is useless there. Memory that it releases is not available to another thread, and a statement that sorts
    /// takes as much again.
    func withSmallCache<Result>(_ body: () throws -> Result) throws -> Result {
        try executeOne("PRAGMA cache_size = \(-Self.smallCacheKibibytes)")
        defer { try? executeOne("PRAGMA cache_size = \(-1024 * ReplicaFile.cacheMebibytes)") }
        return try body()
    }
}
