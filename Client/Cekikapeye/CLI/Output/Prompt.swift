internal import Foundation
internal import RoostModel

/// Asks the user at the terminal.
enum Prompt {
    /// Returns the answer without surrounding spaces; `nil` at the end of input.
    static func ask(_ question: String) -> String? {
        FileHandle.standardOutput.write(Data((ControlCharacters.escaped(question) + " ").utf8))
        return readLine()?.parts(at: " ").joined(separator: " ")
    }

    /// Returns whether the answer begins like yes, in either language.
    static func confirms(_ question: String) -> Bool {
        guard let first = ask(question)?.lowercased().first else { return false }
        return first == "y" || first == "o"
    }
}
