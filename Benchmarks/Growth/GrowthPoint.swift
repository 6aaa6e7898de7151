import Replica

/// One point of a curve: a cost at some amount of records, scopes or changes.
struct GrowthPoint: Encodable {
    /// The quantity that grows.
    enum Axis: String, Encodable, CaseIterable {
        case records
        case scopes
        case pending
        case deleted
        case written
    }

    private let row = "growth"
    var by: Axis
    var at: Int
    var measure: String
    var figure: Double
    var unit: String
    var bar: Double?
    private let barIs: String?
    private let reached: Bool?
    private let mode: String
    private let repeats: Int
    private let least: Double?
    private let greatest: Double?

    /// - Parameter bar: The target, as an upper limit.
    init(
        _ by: Axis, at: Int, _ measure: String, _ samples: Samples, _ unit: String, _ durability: Durability,
        bar: Double? = nil
    ) {
        self.by = by
        self.at = at
        self.measure = measure
        figure = FigureLine.rounded(samples.median) ?? 0
        self.unit = unit
        self.bar = bar
        barIs = bar == nil ? nil : "atMost"
        reached = bar.map { samples.median <= $0 }
        mode = durability.rawValue
        repeats = samples.repeats.count
        least = FigureLine.rounded(samples.least)
        greatest = FigureLine.rounded(samples.greatest)
    }

    static let headings = ["by", "at", "measure", "figure", "bar", "reached", "repeats"]

    var cells: [String] {
        [
            by.rawValue, Report.number(Double(at)), measure, "\(Report.number(figure)) \(unit)",
            bar.map { "≤ \(Report.number($0))" } ?? "", reached.map { $0 ? "yes" : "no" } ?? "",
            "\(repeats): \(Report.number(least ?? .nan))–\(Report.number(greatest ?? .nan))",
        ]
    }
}
