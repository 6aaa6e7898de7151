import Replica

/// One number of the table, with what is to be reached.
struct Figure {
    /// What is to be reached, and on which side of it the number should be.
    enum Target {
        case atLeast(Double)
        case atMost(Double)
    }

    enum Standing: String {
        /// The target is reached.
        case yes
        /// At least half of it is.
        case half
        case no
    }

    /// The name of the row, as `--only` takes it.
    var row: String
    var work: String
    /// How commits are written on both sides; `nil` where none happen.
    var durability: Durability?
    var value: Double
    var unit: String
    var target: Target?
    /// What the best peer reached elsewhere (not measured in this run).
    var peer = ""
    /// How the number came about.
    var detail = ""

    /// Half of the target: half the speed, or twice the cost.
    var half: Double? {
        switch target {
        case .atLeast(let bound): bound / 2
        case .atMost(let bound): bound * 2
        case nil: nil
        }
    }

    var standing: Standing? {
        switch target {
        case .atLeast(let bound): value >= bound ? .yes : value >= bound / 2 ? .half : .no
        case .atMost(let bound): value <= bound ? .yes : value <= bound * 2 ? .half : .no
        case nil: nil
        }
    }
}
