/// Times that were measured in sequence, each with the latency of a line of memory just before it (``MemoryLines``).
struct SamplesByLine {
    private var samples: [(milliseconds: Double, line: Double)] = []

    mutating func add(milliseconds: Double, line: Double) { samples.append((milliseconds, line)) }

    var times: Samples { Samples(samples.map(\.milliseconds)) }

    /// The median latency of a line, in nanoseconds.
    var line: Double { Samples(samples.map(\.line)).median }

    /// The times of the third with the shortest latencies and of the third with the longest ones, in words.
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
