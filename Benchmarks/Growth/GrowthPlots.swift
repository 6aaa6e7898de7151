import Foundation

/// The plots of a run; each one contains related curves.
enum GrowthPlots {
    private struct Sheet {
        var file: String
        var title: String
        var axis: GrowthPoint.Axis
        var xLabel: String
        var unit: String
        var yLabel: String
    }

    private static let sheets = [
        Sheet(
            file: "records", title: "A sync, the more records its scope has", axis: .records,
            xLabel: "records in the scope", unit: "ms", yLabel: "milliseconds"),
        Sheet(
            file: "first-pull", title: "A first pull, the more records it brings", axis: .records,
            xLabel: "records in the scope", unit: "µs", yLabel: "microseconds a record"),
        Sheet(
            file: "memory", title: "Greatest memory of a process", axis: .records, xLabel: "records in the scope",
            unit: "MiB", yLabel: "MiB"),
        Sheet(
            file: "scopes", title: "A sync, the more scopes its server has", axis: .scopes,
            xLabel: "scopes on the server", unit: "ms", yLabel: "milliseconds"),
        Sheet(
            file: "scopes-memory", title: "The server's memory, the more scopes it has", axis: .scopes,
            xLabel: "scopes on the server", unit: "MiB", yLabel: "MiB"),
        Sheet(
            file: "pending", title: "A sync and a write, the more changes wait", axis: .pending,
            xLabel: "changes that wait", unit: "ms", yLabel: "milliseconds"),
        Sheet(
            file: "pending-memory", title: "Greatest memory of a process, the more changes wait", axis: .pending,
            xLabel: "changes that wait", unit: "MiB", yLabel: "MiB"),
        Sheet(
            file: "deleted", title: "Deleting and purging, the more records there are", axis: .deleted,
            xLabel: "deleted records", unit: "µs", yLabel: "microseconds a record"),
        Sheet(
            file: "deleted-memory", title: "Greatest memory of a process, the more records are deleted", axis: .deleted,
            xLabel: "deleted records", unit: "MiB", yLabel: "MiB"),
    ]

    /// Writes an SVG file for each sheet that has points.
    static func write(_ points: [GrowthPoint], into folder: String, caption: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for sheet in sheets {
            let shown = points.filter { $0.by == sheet.axis && $0.unit == sheet.unit }
            guard !shown.isEmpty else { continue }
            var names: [String] = []
            for point in shown where !names.contains(point.measure) { names.append(point.measure) }
            let plot = LogPlot(
                title: sheet.title, caption: caption, xLabel: sheet.xLabel, yLabel: sheet.yLabel,
                series: names.map { name in
                    .init(
                        name: name,
                        points: shown.filter { $0.measure == name }.map { (x: Double($0.at), y: $0.figure) })
                }, bar: shown.compactMap(\.bar).first)
            try Data(plot.svg.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(sheet.file).svg"))
        }
    }
}
