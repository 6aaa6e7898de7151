internal import CekikapeyeRules
internal import Foundation
internal import RoostModel
internal import Terminal

/// The output of a command.
struct Screen {
    let hasColour: Bool
    let money: MoneyFormat
    private let fault = OutputFault()

    init(hasColour: Bool, money: MoneyFormat) {
        self.hasColour = hasColour
        self.money = money
    }

    /// The reason why the output is incomplete; `nil` if all of it was written.
    var faultReason: String? { fault.reason }

    func line(_ line: Line = "") { write(line.rendered(hasColour: hasColour), to: STDOUT_FILENO) }

    func json(_ value: JSONValue) { write(ControlCharacters.escapedInJSON(value.text), to: STDOUT_FILENO) }

    /// Prints information that is not part of the result.
    func note(_ text: String) { writeError(text, style: .dim) }

    /// Prints a warning that is not a failure.
    func warn(_ text: String) { writeError(text, style: .bad) }

    func report(_ failure: Failure, asJSON: Bool) {
        guard asJSON else { return writeError(failure.message, style: .bad) }
        let error = JSONValue.members(
            ("message", .string(failure.message)), ("status", .integer(failure.status.rawValue)),
            ("code", .string(failure.code)))
        write(
            ControlCharacters.escapedInJSON(JSONValue.members(("error", error)).text), to: STDERR_FILENO)
    }

    func text(_ amount: Money) -> String { money.string(from: amount) }
    func signed(_ amount: Money) -> String { money.signedString(from: amount) }

    /// Formats an amount without its currency, for output next to which the currency is shown.
    func digits(_ amount: Money) -> String {
        let plain = MoneyFormat.plain.string(from: amount).utf8.prefix { $0 != UInt8(ascii: " ") }
        let isFrench = money == .pretty(.french)
        let bytes = plain.map { isFrench && $0 == UInt8(ascii: ".") ? UInt8(ascii: ",") : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func writeError(_ text: String, style: Line.Style) {
        for part in text.parts(at: "\n", keepsEmpty: true) {
            write(Line(part, style).rendered(hasColour: hasColour), to: STDERR_FILENO)
        }
    }

    private func write(_ text: String, to descriptor: Int32) { fault.write(text + "\n", to: descriptor) }
}
