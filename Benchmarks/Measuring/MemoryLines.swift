import BenchmarkData
import RoostModel

/// The latency of lines of memory (64 bytes), each of which is read only after the one before. A program has such waits
/// repeatedly if its code and data have left the processor's caches while it was idle or other programs ran.
struct MemoryLines {
    /// A size that is read in 5 to 60 microseconds: enough to measure, and short compared with the measurement that follows.
    private static let fewBytes = 32 << 10
    /// A size that exceeds a processor's own cache, and is a part of the cache that processors share.
    private static let manyBytes = 8 << 20
    private static let lineBytes = 64

    private let lines: UnsafeMutableRawBufferPointer
    private var count: Int { lines.count / Self.lineBytes }

    /// - Returns: The nanoseconds per line of 8 MiB that were just read. It is the latency of the memory itself, 140 to 190,
    ///   if other programs use most of the shared cache. With 2 MiB of that cache it was 20 to 26.
    static func ofSharedCache() throws -> Double {
        let lines = MemoryLines(bytes: manyBytes)
        defer { lines.free() }
        _ = try lines.nanoseconds()
        return try lines.nanoseconds()
    }

    /// Makes one ring of all lines, in an order that no processor can predict (Sattolo's shuffle).
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

    /// - Returns: The nanoseconds per line of one walk over all lines.
    func nanoseconds() throws -> Double {
        let start = Stopwatch.nanoseconds
        var line = 0
        for _ in 0..<count { line = lines.load(fromByteOffset: line * Self.lineBytes, as: Int.self) }
        let time = Double(Stopwatch.nanoseconds - start) / Double(count)
        // The lines form one ring, so a complete walk ends at its start. The check also prevents the compiler from removing
        // the walk.
        guard line == 0 else { throw BenchmarkError("The lines of memory are no ring.") }
        return time
    }
}
