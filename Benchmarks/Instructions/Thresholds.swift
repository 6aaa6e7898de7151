import Foundation

/// The thresholds of the hot paths in instructions per unit, and the tolerance by which a count may exceed them.
struct Thresholds: Codable {
    var tolerancePercent = 3.0
    /// The instructions of one unit, by the name of the path.
    var paths: [String: Int] = [:]

    static func read(_ path: String) throws -> Thresholds {
        guard FileManager.default.fileExists(atPath: path) else { return Thresholds() }
        return try JSONDecoder().decode(Thresholds.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func write(_ path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let text = try encoder.encode(self) + Data("\n".utf8)
        try text.write(to: URL(fileURLWithPath: path))
    }

    /// Compares a count with its threshold, in words.
    func verdict(on count: Int, of path: HotPath) -> (words: String, isExceeded: Bool) {
        guard let known = paths[path.name], known > 0 else { return ("no threshold yet", true) }
        let percent = (Double(count) / Double(known) - 1) * 100
        let change = String(format: "%+.1f %% against %d", percent, known)
        if percent > tolerancePercent { return ("\(change): too many", true) }
        // A cheaper path should stay cheap, so its threshold is to be lowered.
        return (percent < -tolerancePercent ? "\(change): lower the threshold" : change, false)
    }
}
