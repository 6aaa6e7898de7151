import BenchmarkData
import Foundation
import Glibc

/// The disk that the run's files are on.
enum Disk {
    /// Puts on the disk what was written before: the system would do so while the next row is measured, and take a processor for it.
    static func settle() { sync() }

    /// How often in a second the disk syncs a write of one page at a file's end, as SQLite's log is written.
    static func syncsPerSecond(in folder: URL) throws -> Double {
        let path = folder.appending(path: "sync-\(UUID().uuidString)").path
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        guard file >= 0 else { throw BenchmarkError("Cannot write to \"\(path)\".") }
        defer {
            close(file)
            unlink(path)
        }
        let page = [UInt8](repeating: 7, count: 4096)
        var count = 0
        let start = ContinuousClock.now
        // A slow disk does a hundred in a second, a fast one 10,000.
        while count < 10 || (count < 500 && ContinuousClock.now - start < .seconds(1)) {
            guard write(file, page, page.count) == page.count, fdatasync(file) == 0 else {
                throw BenchmarkError("Cannot sync \"\(path)\".")
            }
            count += 1
        }
        return Double(count) / (ContinuousClock.now - start).seconds
    }
}
