internal import RoostModel

/// Pads texts to equal width.
enum Column {
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    static func width(_ texts: some Sequence<String>) -> Int { texts.map(\.count).max() ?? 0 }

    /// Returns the displayed part of a name: at most 40 characters, since another program may have written a name of any length.
    static func name(_ text: String) -> String { ShortText.cut(text, to: 40) }
}
