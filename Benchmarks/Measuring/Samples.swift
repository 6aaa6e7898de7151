/// Repeated measurements of one quantity.
struct Samples {
    private var sorted: [Double]

    init(_ values: [Double]) {
        sorted = values.sorted()
    }

    var median: Double { percentile(50) }
    var least: Double { sorted.first ?? .nan }
    var greatest: Double { sorted.last ?? .nan }
    var repeats: Figure.Repeats { .init(count: sorted.count, least: least, greatest: greatest) }

    /// Returns the value that `percent` of the samples do not exceed (nearest rank).
    func percentile(_ percent: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        let rank = (percent / 100 * Double(sorted.count)).rounded(.up)
        return sorted[min(max(Int(rank), 1), sorted.count) - 1]
    }

    /// Returns the rates per second of `count` items, if the samples are the seconds for all of them.
    func speed(of count: Int) -> Samples { Samples(sorted.map { Double(count) / $0 }) }
}
