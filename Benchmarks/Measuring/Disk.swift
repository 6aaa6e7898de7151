import BenchmarkData
import Foundation
import Glibc

/// The disk with the run's files.
enum Disk {
    /// Flushes earlier writes to the disk. Otherwise the system would do so during the next row, and use a processor for it.
    static func settle() { sync() }

    /// Measures how often per second the disk syncs a write of one page at a file's end, like a write to SQLite's WAL.
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
        // A slow disk syncs a hundred times per second, a fast one 10,000 times.
        while count < 10 || (count < 500 && ContinuousClock.now - start < .seconds(1)) {
            guard write(file, page, page.count) == page.count, fdatasync(file) == 0 else {
                throw BenchmarkError("Cannot sync \"\(path)\".")
            }
            count += 1
        }
        return Double(count) / (ContinuousClock.now - start).seconds
    }
}
