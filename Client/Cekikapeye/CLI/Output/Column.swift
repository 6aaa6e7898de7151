internal import RoostModel

/// Pads texts to one width.
enum Column {
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    static func width(_ texts: some Sequence<String>) -> Int { texts.map(\.count).max() ?? 0 }

    /// The shown part of a name: a name that another program wrote may have any length.
    static func name(_ text: String) -> String { ShortText.cut(text, to: 40) }
}
