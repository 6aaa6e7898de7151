import BenchmarkData

/// How long a line of memory (64 bytes) takes that is read only once the one before is there: what a program waits for again and again
/// whose code and data have left the processor's caches while it rested, or others needed them.
struct MemoryLines {
    /// Read in 5 to 60 microseconds: enough to tell, and little beside what it precedes.
    private static let count = 512
    private static let lineBytes = 64

    private let lines: UnsafeMutableRawBufferPointer

    /// All lines in one ring, in an order that no processor foresees (Sattolo's shuffle).
    init() {
        lines = .allocate(byteCount: Self.count * Self.lineBytes, alignment: 4096)
        var next = Array(0..<Self.count)
        var random = SeededGenerator(seed: 12)
        for last in stride(from: Self.count - 1, to: 0, by: -1) {
            next.swapAt(last, Int.random(in: 0..<last, using: &random))
        }
        for (line, next) in next.enumerated() {
            lines.storeBytes(of: next, toByteOffset: line * Self.lineBytes, as: Int.self)
        }
    }

    func free() { lines.deallocate() }

    /// - Returns: Nanoseconds for each line, now, of one walk over 32 KiB.
    func nanoseconds() throws -> Double {
        let start = Stopwatch.nanoseconds
        var line = 0
        for _ in 0..<Self.count { line = lines.load(fromByteOffset: line * Self.lineBytes, as: Int.self) }
        let time = Double(Stopwatch.nanoseconds - start) / Double(Self.count)
        // One ring: whoever has gone all of it is where it began. It also keeps the walk from being left out.
        guard line == 0 else { throw BenchmarkError("The lines of memory are no ring.") }
        return time
    }
}
