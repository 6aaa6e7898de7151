internal import CekikapeyeRules
internal import Foundation
internal import RoostModel
internal import Terminal

/// Where a command writes.
struct Screen {
    let hasColour: Bool
    let money: MoneyFormat
    private let fault = OutputFault()

    init(hasColour: Bool, money: MoneyFormat) {
        self.hasColour = hasColour
        self.money = money
    }

    /// Why the output is not complete; `nil` where all of it was written.
    var faultReason: String? { fault.reason }

    func line(_ line: Line = "") { write(line.rendered(hasColour: hasColour), to: STDOUT_FILENO) }

    func json(_ value: JSONValue) { write(ControlCharacters.escapedInJSON(value.text), to: STDOUT_FILENO) }

    /// Something to know that is not part of the result.
    func note(_ text: String) { writeError(text, style: .dim) }

    /// Something to know that is no failure.
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

    /// Only the digits, where the currency stands nearby.
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
