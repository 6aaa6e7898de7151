import Replica

/// A figure of a peer, as its program printed it, with Roost's figure of the same run.
struct PeerFigure: Codable {
    var peer: String
    var row: String
    var measure: String?
    var work: String?
    /// The mode in which the peer's writes reach the disk.
    var mode: String?
    var figure: Double?
    var unit: String?
    var repeats: Int?
    var least: Double?
    var greatest: Double?
    var how: String?
    /// The reason why there is no figure.
    var failed: String?
    var roost: Double?
    var roostMode: String?
    /// The factor by which Roost is faster or cheaper: over 1, Roost is ahead.
    var ahead: Double?

    init(peer: String, row: String, failed: String) {
        self.peer = peer
        self.row = row
        self.failed = failed
    }

    /// Adds Roost's figure of the same measure in the peer's mode. If there is none, it adds a figure that is not of FULL.
    mutating func compare(with figures: [Figure]) {
        let same = figures.filter { $0.row == row && $0.measure == measure }
        let beside = same.first { $0.durability?.rawValue == mode } ?? same.first { $0.durability != .full }
        guard let beside, let figure, beside.unit == unit, beside.value > 0, figure > 0 else { return }
        roost = FigureLine.rounded(beside.value)
        roostMode = beside.durability?.rawValue ?? "none"
        ahead = FigureLine.rounded(
            beside.unit.hasSuffix("/s") ? beside.value / figure : figure / beside.value)
        self.figure = FigureLine.rounded(figure)
        least = FigureLine.rounded(least)
        greatest = FigureLine.rounded(greatest)
    }

    static let headings = [
        "row", "work of the peer", "peer", "sync", "its figure", "Roost", "sync", "Roost ahead", "how",
    ]

    var cells: [String] {
        guard let figure else { return [row, work ?? "", peer, "", "not measured: \(failed ?? "")", "", "", "", ""] }
        return [
            row, work ?? "", peer, mode?.uppercased() ?? "", "\(Report.number(figure)) \(unit ?? "")",
            roost.map(Report.number) ?? "", roostMode?.uppercased() ?? "", ahead.map { "\(Report.number($0)) ×" } ?? "",
            how ?? "",
        ]
    }
}
