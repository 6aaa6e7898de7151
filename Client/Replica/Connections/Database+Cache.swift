internal import GRDB

extension Database {
    /// How much SQLite keeps in memory while it goes through more than fits: of the file's pages, and of what one statement sorts.
    private static let smallCacheKibibytes = 12 * 1024

    /// Runs `body` with a small cache. What it goes through is read and written once, in order.
    ///
    /// A grown cache is useless here: what it gives back is not free for another thread, and a statement that sorts takes as
    /// much again.
    func withSmallCache<Result>(_ body: () throws -> Result) throws -> Result {
        try executeOne("PRAGMA cache_size = \(-Self.smallCacheKibibytes)")
        defer { try? executeOne("PRAGMA cache_size = \(-1024 * ReplicaFile.cacheMebibytes)") }
        return try body()
    }
}
