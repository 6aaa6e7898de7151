/// Times that were measured one after the other, and what a line of memory took just before each (``MemoryLines``).
struct SamplesByLine {
    private var samples: [(milliseconds: Double, line: Double)] = []

    mutating func add(milliseconds: Double, line: Double) { samples.append((milliseconds, line)) }

    var times: Samples { Samples(samples.map(\.milliseconds)) }

    /// The median of what a line took, in nanoseconds.
    var line: Double { Samples(samples.map(\.line)).median }

    /// The third before which a line took the shortest and that before which it took the longest, in words.
    var byLine: String {
        let sorted = samples.sorted { $0.line < $1.line }
        let third = max(sorted.count / 3, 1)
        let parts = [sorted.prefix(third), sorted.suffix(third)].map { part in
            let part = SamplesByLine(samples: Array(part))
            return "\(Report.number(part.times.median)) ms where it took \(Report.number(part.line))"
        }
        return "of thirds by that, " + parts.joined(separator: ", ")
    }
}
