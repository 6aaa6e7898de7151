/// Repeated measurements of one thing.
struct Samples {
    private var sorted: [Double]

    init(_ values: [Double]) {
        sorted = values.sorted()
    }

    var median: Double { percentile(50) }
    var least: Double { sorted.first ?? .nan }
    var greatest: Double { sorted.last ?? .nan }
    var repeats: Figure.Repeats { .init(count: sorted.count, least: least, greatest: greatest) }

    /// The value that `percent` of the samples do not exceed (nearest rank).
    func percentile(_ percent: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        let rank = (percent / 100 * Double(sorted.count)).rounded(.up)
        return sorted[min(max(Int(rank), 1), sorted.count) - 1]
    }

    /// How many of `count` things a second, where the samples are the seconds that all of them took.
    func speed(of count: Int) -> Samples { Samples(sorted.map { Double(count) / $0 }) }
}
