import Replica

/// One number of the table, with its bar, and what plain SQLite needs for work of the same kind and the simplest program for the same in the
/// same run.
struct Figure {
    /// What is to be reached, and on which side of it the number should be.
    enum Bar {
        case atLeast(Double)
        case atMost(Double)

        var bound: Double {
            switch self {
            case .atLeast(let bound), .atMost(let bound): bound
            }
        }
    }

    /// What others take for the same records, measured beside the figure.
    struct Baseline {
        var value: Double
        var unit: String
        /// How many times as long as they take Roost's work took.
        var ratio: Double
    }

    /// How often the work was done, and the range of what was measured, in the figure's unit.
    struct Repeats {
        var count: Int
        var least: Double
        var greatest: Double
    }

    /// The name of the row, as the command line takes it.
    var row: String
    /// Which of the row's figures this is: a word that stays, by which figures of runs and of peers are compared.
    var measure: String
    var work: String
    /// How commits are written on both sides; `nil` where none happen.
    var durability: Durability?
    var value: Double
    var unit: String
    var bar: Bar?
    /// What a plain SQLite table takes.
    var baseline: Baseline?
    /// What the simplest program takes that does all that none can leave out, in the figure's unit: a bar beyond it is out of reach on this
    /// machine. `nil` where no such program is measured.
    var floor: Baseline?
    var repeats: Repeats?
    /// How often in a second the disk syncs a small write, measured just before the row.
    var diskSyncs: Double?
    /// Nanoseconds that a line of 8 MiB of memory took before its row (``MemoryLines``).
    var memoryLine: Double?
    /// How the number came about.
    var detail = ""

    /// Whether the bar is reached; `nil` where none is set.
    var reached: Bool? {
        switch bar {
        case .atLeast(let bound): value >= bound
        case .atMost(let bound): value <= bound
        case nil: nil
        }
    }
}

extension Figure {
    /// The median of samples, with their range.
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
    /// Of a figure that is a speed: more is better.
    static func speed(_ value: Double, _ unit: String, of figure: Double) -> Self {
        Self(value: value, unit: unit, ratio: value / figure)
    }

    /// Of a figure that is a cost: less is better.
    static func cost(_ value: Double, _ unit: String, of figure: Double) -> Self {
        Self(value: value, unit: unit, ratio: figure / value)
    }
}
