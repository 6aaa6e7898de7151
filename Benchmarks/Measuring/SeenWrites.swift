/// Writes that another device saw: how long each took, and what a line of memory took just before it.
struct SeenWrites {
    private var writes: [(milliseconds: Double, line: Double)] = []

    mutating func add(milliseconds: Double, line: Double) { writes.append((milliseconds, line)) }

    var times: Samples { Samples(writes.map(\.milliseconds)) }

    /// The median of what a line took, in nanoseconds.
    var line: Double { Samples(writes.map(\.line)).median }

    /// The third of the writes before which a line took the shortest, and that before which it took the longest.
    var byLine: (shortest: SeenWrites, longest: SeenWrites) {
        let sorted = writes.sorted { $0.line < $1.line }
        let third = max(sorted.count / 3, 1)
        return (SeenWrites(writes: Array(sorted.prefix(third))), SeenWrites(writes: Array(sorted.suffix(third))))
    }
}
