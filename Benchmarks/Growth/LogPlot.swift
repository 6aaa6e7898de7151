import Foundation

/// Curves over two logarithmic axes, as an SVG file.
struct LogPlot {
    struct Series {
        var name: String
        var points: [(x: Double, y: Double)]
    }

    var title: String
    /// The caption in small letters: the date, commit and machine of the measurement.
    var caption: String
    var xLabel: String
    var yLabel: String
    var series: [Series]
    /// The target as a line; the curves should stay below it.
    var bar: Double?

    private static let colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"]
    private static let size = (width: 820.0, height: 430.0)
    private static let area = (left: 72.0, right: 560.0, top: 48.0, bottom: 350.0)

    var svg: String {
        let xs = Self.decades(series.flatMap { $0.points.map(\.x) })
        let ys = Self.decades(series.flatMap { $0.points.map(\.y) } + (bar.map { [$0] } ?? []))
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.size.width)) \(Int(Self.size.height))" \
            font-family="sans-serif" font-size="13" fill="#222">
            <rect width="100%" height="100%" fill="#fff"/>
            <text x="\(Int(Self.area.left))" y="28" font-size="16" font-weight="bold">\(Self.escaped(title))</text>
            \(grid(xs, ys))
            \(curves(xs, ys))
            <text x="\(Self.text((Self.area.left + Self.area.right) / 2))" y="392" text-anchor="middle">\
            \(Self.escaped(xLabel))</text>
            <text transform="translate(20 \(Self.text((Self.area.top + Self.area.bottom) / 2))) rotate(-90)" \
            text-anchor="middle">\(Self.escaped(yLabel))</text>
            <text x="\(Int(Self.area.left))" y="418" font-size="10" fill="#666">\(Self.escaped(caption))</text>
            </svg>

            """
    }

    // MARK: Axes

    private func grid(_ xs: ClosedRange<Int>, _ ys: ClosedRange<Int>) -> String {
        let area = Self.area
        let across = ys.map { power in
            let y = Self.text(Self.place(pow(10, Double(power)), ys, from: area.bottom, to: area.top))
            return """
                <line x1="\(area.left)" x2="\(area.right)" y1="\(y)" y2="\(y)" stroke="#ddd"/>\
                <text x="\(area.left - 8)" y="\(y)" dy="4" text-anchor="end">\(Self.label(power))</text>
                """
        }
        let down = xs.map { power in
            let x = Self.text(Self.place(pow(10, Double(power)), xs, from: area.left, to: area.right))
            return """
                <line x1="\(x)" x2="\(x)" y1="\(area.top)" y2="\(area.bottom)" stroke="#ddd"/>\
                <text x="\(x)" y="\(area.bottom + 18)" text-anchor="middle">\(Self.label(power))</text>
                """
        }
        return (across + down).joined(separator: "\n")
    }

    /// Returns the powers of ten around all values.
    private static func decades(_ values: [Double]) -> ClosedRange<Int> {
        let logarithms = values.filter { $0 > 0 }.map { log10($0) }
        let least = Int((logarithms.min() ?? 0).rounded(.down))
        return least...max(least + 1, Int((logarithms.max() ?? 1).rounded(.up)))
    }

    private static func place(_ value: Double, _ range: ClosedRange<Int>, from: Double, to: Double) -> Double {
        let part = (log10(value) - Double(range.lowerBound)) / Double(range.upperBound - range.lowerBound)
        return from + part * (to - from)
    }

    private static func label(_ power: Int) -> String {
        switch power {
        case ..<0: "0." + String(repeating: "0", count: -power - 1) + "1"
        case 6...: "1" + String(repeating: "0", count: power - 6) + " M"
        case 3...: "1" + String(repeating: "0", count: power - 3) + " k"
        default: "1" + String(repeating: "0", count: power)
        }
    }

    // MARK: Curves

    private func curves(_ xs: ClosedRange<Int>, _ ys: ClosedRange<Int>) -> String {
        let area = Self.area
        var lines: [String] = []
        var labels: [(y: Double, text: String, colour: String)] = []
        if let bar {
            let y = Self.place(bar, ys, from: area.bottom, to: area.top)
            lines.append(
                """
                <line x1="\(area.left)" x2="\(area.right)" y1="\(Self.text(y))" y2="\(Self.text(y))" stroke="#222" \
                stroke-dasharray="6 4"/>
                """)
            labels.append((y, "bar: ≤ \(Report.number(bar))", "#222"))
        }
        for (index, one) in series.enumerated() {
            let colour = Self.colours[index % Self.colours.count]
            let places = one.points.filter { $0.y > 0 }.map {
                (
                    x: Self.place($0.x, xs, from: area.left, to: area.right),
                    y: Self.place($0.y, ys, from: area.bottom, to: area.top)
                )
            }
            guard let last = places.last, let value = one.points.last?.y else { continue }
            let path = places.map { "\(Self.text($0.x)),\(Self.text($0.y))" }.joined(separator: " ")
            lines.append("<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"/>")
            lines += places.map {
                "<circle cx=\"\(Self.text($0.x))\" cy=\"\(Self.text($0.y))\" r=\"3.5\" fill=\"\(colour)\"/>"
            }
            labels.append((last.y, "\(one.name): \(Report.number(value))", colour))
        }
        return (lines + Self.placed(labels)).joined(separator: "\n")
    }

    /// Places labels next to the ends of their curves, and moves them down where they would overlap.
    private static func placed(_ labels: [(y: Double, text: String, colour: String)]) -> [String] {
        var free = area.top
        return labels.sorted { $0.y < $1.y }.map { label in
            let y = max(label.y, free)
            free = y + 17
            return """
                <text x="\(area.right + 10)" y="\(text(y))" dy="4" font-size="12" fill="\(label.colour)">\
                \(escaped(label.text))</text>
                """
        }
    }

    private static func text(_ number: Double) -> String { String(format: "%.1f", number) }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
