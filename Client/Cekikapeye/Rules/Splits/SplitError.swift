/// The reason why a split cannot be read, made or applied.
package enum SplitError: Error, Hashable, Sendable {
    /// The text is not JSON, from the given byte on.
    case notJSON(byte: Int, expected: String)
    /// The text is longer than the limit, in bytes.
    case tooLong(limit: Int)
    /// A key is missing.
    case missingKey(String)
    /// The value of a key has an unexpected type.
    case wrongType(key: String, expected: String)
    /// The split was written under a rule that this version does not support.
    case unknownRule(Int64)
    /// The mode is none of ``SplitMode``.
    case unknownMode(String)
    /// A person's identifier is malformed.
    case badPerson(IdentifierError)
    /// Nobody is listed, or more people than the limit.
    case participantCount(Int, limit: Int)
    /// A person is listed twice.
    case personTwice(PersonID)
    /// A number is outside the range that the mode allows.
    case numberOutOfRange(key: String, PersonID, got: Int64, allowed: String)
    /// The numbers of the split have the wrong sum.
    case wrongSum(SplitMode, got: Int64, expected: Int64)
    /// The payers' amounts do not add up to the expense.
    case payersSum(got: Int64, expected: Int64)
    /// Payers or `rest` are given with a mode that has none.
    case notInMode(key: String, SplitMode)
    /// The exact or net amounts exceed the expense.
    case exceedsTotal(SplitMode, got: Int64, total: Int64)
}

extension SplitError: CustomStringConvertible {
    /// The problem, the reason, and the remedy.
    package var description: String { description(amount: { "\($0) minor units" }, person: { "\($0)" }) }

    /// Describes the problem like ``description``, with formatted amounts and people's names.
    ///
    /// - Parameters:
    ///   - amount: Formats minor units as an amount.
    ///   - name: Returns a person's name.
    package func description(amount: (Int64) -> String, person name: (PersonID) -> String) -> String {
        switch self {
        case .notJSON(let byte, let expected):
            "Cannot read the split: byte \(byte) is not JSON, expected \(expected). Restore an earlier version."
        case .tooLong(let limit):
            "Cannot read the split: it is longer than \(limit) bytes. Restore an earlier version."
        case .missingKey(let key):
            "Cannot read the split: key \"\(key)\" is missing. Restore an earlier version."
        case .wrongType(let key, let expected):
            "Cannot read the split: key \"\(key)\" must hold \(expected). Restore an earlier version."
        case .unknownRule(let rule):
            "Cannot read the split: it follows rule \(rule), known is \(Split.rule). Update the application."
        case .unknownMode(let mode):
            "Cannot read the split: mode \"\(mode.shortened())\" is unknown. Update the application."
        case .badPerson(let error):
            "Cannot read the split: a person is malformed. \(error)"
        case .participantCount(let count, let limit):
            "Cannot split between \(count) people: expected 1 to \(limit). Name those the expense was for."
        case .personTwice(let person):
            "Cannot split: \(name(person)) is listed twice. Name each person once."
        default: arithmeticDescription(amount, name)
        }
    }

    private func arithmeticDescription(_ amount: (Int64) -> String, _ name: (PersonID) -> String) -> String {
        switch self {
        case .numberOutOfRange(let key, let person, let got, let allowed):
            "Cannot split: \"\(key)\" of \(name(person)) is \(got), allowed is \(allowed). Correct the number."
        case .wrongSum(.shares, let got, _):
            "Cannot split in mode shares: the shares add up to \(got), expected at least 1. Give somebody a share."
        case .wrongSum(.percent, let got, let expected):
            "Cannot split in mode percent: the percents add up to \(Self.percent(got)), expected \(Self.percent(expected)). Correct them."
        case .wrongSum(.exact, let got, let expected):
            "Cannot split in mode exact: the amounts add up to \(amount(got)), expected \(amount(expected)). Correct them."
        case .wrongSum(let mode, let got, let expected):
            "Cannot split in mode \(mode.rawValue): the numbers add up to \(got), expected \(expected). Correct them."
        case .payersSum(let got, let expected):
            "Cannot split: the payers paid \(amount(got)), the expense is \(amount(expected)). Correct one of them."
        case .notInMode(let key, let mode):
            "Cannot split in mode \(mode.rawValue): it takes no \"\(key)\". Leave it out or choose another mode."
        case .exceedsTotal(let mode, let got, let total):
            """
            Cannot split in mode \(mode.rawValue): its amounts come to \(amount(got)), the expense is only \
            \(amount(total)). Correct one of them.
            """
        default: "Cannot split."
        }
    }

    /// Formats hundredths of a percent: 3333 as `33.33 %`.
    static func percent(_ hundredths: Int64) -> String {
        let rest = hundredths.magnitude % 100
        let decimals = rest == 0 ? "" : rest < 10 ? ".0\(rest)" : ".\(rest)"
        return "\(hundredths / 100)\(decimals) %"
    }
}
