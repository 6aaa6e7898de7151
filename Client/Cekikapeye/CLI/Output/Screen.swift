internal import CekikapeyeRules
internal import Foundation
internal import RoostModel
internal import Terminal

/// Where a command writes.
struct Screen {
    let hasColour: Bool
    let money: MoneyFormat

    func line(_ line: Line = "") { Self.write(line.rendered(hasColour: hasColour), to: .standardOutput) }

    func json(_ value: JSONValue) { Self.write(ControlCharacters.escapedInJSON(value.text), to: .standardOutput) }

    /// Something to know that is no failure.
    func warn(_ text: String) { writeError(text, style: .bad) }

    func report(_ failure: Failure, asJSON: Bool) {
        guard asJSON else { return writeError(failure.message, style: .bad) }
        let error = JSONValue.members(
            ("message", .string(failure.message)), ("status", .integer(failure.status.rawValue)),
            ("code", .string(failure.code)))
        Self.write(
            ControlCharacters.escapedInJSON(JSONValue.members(("error", error)).text), to: .standardError)
    }

    func text(_ amount: Money) -> String { money.string(from: amount) }
    func signed(_ amount: Money) -> String { money.signedString(from: amount) }

    /// Only the digits, where the currency stands nearby.
    func digits(_ amount: Money) -> String {
        let plain = MoneyFormat.plain.string(from: amount).utf8.prefix { $0 != UInt8(ascii: " ") }
        let isFrench = money == .pretty(.french)
        let bytes = plain.map { isFrench && $0 == UInt8(ascii: ".") ? UInt8(ascii: ",") : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func writeError(_ text: String, style: Line.Style) {
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            Self.write(Line(String(part), style).rendered(hasColour: hasColour), to: .standardError)
        }
    }

    private static func write(_ text: String, to handle: FileHandle) {
        // A reader that has gone away, as in `| head`, needs no report.
        try? handle.write(contentsOf: Data((text + "\n").utf8))
    }
}
