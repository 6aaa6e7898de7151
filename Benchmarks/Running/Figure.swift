import Replica

/// One number of the table with its target. In the same run, plain SQLite does similar work, and the simplest program does
/// equal work.
struct Figure {
    /// The target, and the side of it on which the number should be.
    enum Bar {
        case atLeast(Double)
        case atMost(Double)

        var bound: Double {
            switch self {
            case .atLeast(let bound), .atMost(let bound): bound
            }
        }
    }

    /// The cost of other programs for equal records, measured in the same run.
    struct Baseline {
        var value: Double
        var unit: String
        /// The ratio of Roost's time to the other program's.
        var ratio: Double
    }

    /// The number of measurements and their range, in the figure's unit.
    struct Repeats {
        var count: Int
        var least: Double
        var greatest: Double
    }

    /// The name of the row, as the command line takes it.
    var row: String
    /// The identity of the figure in its row. It never changes, so that runs and peers can be compared by it.
    var measure: String
    var work: String
    /// The durability of commits on both sides; `nil` if there are none.
    var durability: Durability?
    var value: Double
    var unit: String
    var bar: Bar?
    /// The cost of a plain SQLite table.
    var baseline: Baseline?
    /// The cost of the simplest program that does all necessary work, in the figure's unit. A target beyond it cannot be
    /// reached on this machine. `nil` if no such program is measured.
    var floor: Baseline?
    var repeats: Repeats?
    /// The number of small writes that the disk syncs per second, measured just before the row.
    var diskSyncs: Double?
    /// The nanoseconds per line of 8 MiB of memory, measured before the row (``MemoryLines``).
    var memoryLine: Double?
    /// The details of the measurement.
    var detail = ""

    /// Whether the target is reached; `nil` if there is none.
    var reached: Bool? {
        switch bar {
        case .atLeast(let bound): value >= bound
        case .atMost(let bound): value <= bound
        case nil: nil
        }
    }
}

extension Figure {
    /// Makes a figure of the median of samples, with their range.
    init(
        row: String, measure: String, work: String, durability: Durability?, samples: Samples, unit: String, bar: Bar?,
        baseline: Baseline? = nil, floor: Baseline? = nil, detail: String = ""
    ) {
        self.init(
            row: row, measure: measure, work: work, durability: durability, value: samples.median, unit: unit, bar: bar,
            baseline: baseline, floor: floor, repeats: samples.repeats, detail: detail)
    }
}

extension Figure.Baseline {
    /// Returns the baseline of a speed: more is better.
    static func speed(_ value: Double, _ unit: String, of figure: Double) -> Self {
        Self(value: value, unit: unit, ratio: value / figure)
    }

    /// Returns the baseline of a cost: less is better.
    static func cost(_ value: Double, _ unit: String, of figure: Double) -> Self {
        Self(value: value, unit: unit, ratio: figure / value)
    }
}
