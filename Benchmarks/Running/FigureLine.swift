import Foundation
import Replica

/// A figure in machine-readable form: one JSON object per line (Docs/benchmarks.md documents the fields).
struct FigureLine: Encodable {
    private var row: String
    private var measure: String
    private var work: String
    private var mode: String
    private var figure: Double?
    private var unit: String
    private var bar: Double?
    private var barIs: String?
    private var reached: Bool?
    private var baseline: Double?
    private var baselineUnit: String?
    private var ratio: Double?
    private var floor: Double?
    private var floorRatio: Double?
    private var repeats: Int?
    private var least: Double?
    private var greatest: Double?
    private var diskSyncs: Double?
    private var memoryLine: Double?
    private var how: String?

    init(_ of: Figure) {
        row = of.row
        measure = of.measure
        work = of.work
        mode = of.durability?.rawValue ?? "none"
        figure = Self.rounded(of.value)
        unit = of.unit
        switch of.bar {
        case .atLeast(let bound): (bar, barIs) = (bound, "atLeast")
        case .atMost(let bound): (bar, barIs) = (bound, "atMost")
        case nil: break
        }
        reached = of.reached
        baseline = Self.rounded(of.baseline?.value)
        baselineUnit = of.baseline?.unit
        ratio = Self.rounded(of.baseline?.ratio)
        floor = Self.rounded(of.floor?.value)
        floorRatio = Self.rounded(of.floor?.ratio)
        repeats = of.repeats?.count
        least = Self.rounded(of.repeats?.least)
        greatest = Self.rounded(of.repeats?.greatest)
        diskSyncs = Self.rounded(of.diskSyncs)
        memoryLine = Self.rounded(of.memoryLine)
        how = of.detail.isEmpty ? nil : of.detail
    }

    /// Rounds to five digits, which is more than the precision of a run.
    static func rounded(_ value: Double?) -> Double? {
        guard let value, value.isFinite else { return nil }
        return Double(String(format: "%.5g", value))
    }
}

extension Encodable {
    /// Encodes the figure as one line of JSON, its keys in order.
    func jsonLine() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
