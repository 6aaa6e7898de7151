import BenchmarkData
import RoostModel

/// How long a line of memory (64 bytes) takes that is read only once the one before is there: what a program waits for again and again
/// whose code and data have left the processor's caches while it rested, or others needed them.
struct MemoryLines {
    /// Read in 5 to 60 microseconds: enough to tell, and little beside what it precedes.
    private static let fewBytes = 32 << 10
    /// More than a processor has for itself, and a part of what it shares with others.
    private static let manyBytes = 8 << 20
    private static let lineBytes = 64

    private let lines: UnsafeMutableRawBufferPointer
    private var count: Int { lines.count / Self.lineBytes }

    /// - Returns: Nanoseconds for each line of 8 MiB that were just read: what the memory itself takes, 140 to 190, where others have most
    ///   of the cache that these processors share with them; 2 MiB of that cache took 20 to 26.
    static func ofSharedCache() throws -> Double {
        let lines = MemoryLines(bytes: manyBytes)
        defer { lines.free() }
        _ = try lines.nanoseconds()
        return try lines.nanoseconds()
    }

    /// All lines in one ring, in an order that no processor foresees (Sattolo's shuffle).
    init(bytes: Int = fewBytes) {
        lines = .allocate(byteCount: bytes, alignment: 4096)
        var next = Array(0..<bytes / Self.lineBytes)
        var random = SplitMix64(state: 12)
        for last in stride(from: next.count - 1, to: 0, by: -1) {
            next.swapAt(last, Int.random(in: 0..<last, using: &random))
        }
        for (line, next) in next.enumerated() {
            lines.storeBytes(of: next, toByteOffset: line * Self.lineBytes, as: Int.self)
        }
    }

    func free() { lines.deallocate() }

    /// - Returns: Nanoseconds for each line, now, of one walk over all.
    func nanoseconds() throws -> Double {
        let start = Stopwatch.nanoseconds
        var line = 0
        for _ in 0..<count { line = lines.load(fromByteOffset: line * Self.lineBytes, as: Int.self) }
        let time = Double(Stopwatch.nanoseconds - start) / Double(count)
        // One ring: whoever has gone all of it is where it began. It also keeps the walk from being left out.
        guard line == 0 else { throw BenchmarkError("The lines of memory are no ring.") }
        return time
    }
}
