/// A line for the screen. ``rendered(hasColour:)`` spells out control characters in its text.
struct Line: ExpressibleByStringInterpolation {
    enum Style: String {
        case plain = ""
        case bold = "1"
        case dim = "2"
        case good = "32"
        case bad = "31"
    }

    struct StringInterpolation: StringInterpolationProtocol {
        var spans: [(text: String, style: Style)] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { spans.append((literal, .plain)) }
        mutating func appendInterpolation(_ text: String) { spans.append((text, .plain)) }
        mutating func appendInterpolation(_ number: Int) { spans.append((String(number), .plain)) }
        mutating func appendInterpolation(bold text: String) { spans.append((text, .bold)) }
        mutating func appendInterpolation(dim text: String) { spans.append((text, .dim)) }
        mutating func appendInterpolation(_ text: String, _ style: Style) { spans.append((text, style)) }
    }

    private let spans: [(text: String, style: Style)]

    init(stringLiteral text: String) { spans = [(text, .plain)] }
    init(stringInterpolation: StringInterpolation) { spans = stringInterpolation.spans }
    init(_ text: String, _ style: Style = .plain) { spans = [(text, style)] }

    func rendered(hasColour: Bool) -> String {
        spans.map { span in
            let text = ControlCharacters.escaped(span.text)
            guard hasColour, span.style != .plain, !text.isEmpty else { return text }
            return "\u{1B}[\(span.style.rawValue)m\(text)\u{1B}[0m"
        }.joined()
    }
}
