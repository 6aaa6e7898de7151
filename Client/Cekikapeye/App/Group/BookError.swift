package import CekikapeyeRules

/// The reason why an operation on a book has failed.
package enum BookError: Error, Hashable, Sendable {
    /// The replica has no group record: it has not been synchronised yet, or belongs to another application.
    case noGroup
    /// The file has no records and belongs to no server: creating or joining the group was interrupted.
    case joinInterrupted(path: String)
    /// No person's name begins with the text.
    case unknownPerson(String, candidates: [String])
    /// The names of several people begin with the text.
    case ambiguousPerson(String, candidates: [String])
    /// Another person has that name already.
    case nameTaken(String)
    /// A name has a comma or an equals sign.
    case nameWithMark(String)
    /// A given option names no person.
    case nobodyNamed(option: String)
    /// No deleted record has that name or identifier.
    case notDeleted(String)
    /// A name, title or amount is blank.
    case blank
    /// A text is longer than the limit, in characters.
    case tooLong(limit: Int)
    /// No active person can share an expense.
    case nobody
    /// Neither the payer nor the user of this device was given.
    case payerNeeded(candidates: [String])
    /// No record's identifier begins or ends with the text.
    case unknownRecord(String)
    /// The identifiers of several records begin or end with the text.
    case ambiguousRecord(String, candidates: [String])
    /// A value of an option is not `NAME=NUMBER`.
    case badAssignment(option: String, String)
    /// Two ways of splitting were given together.
    case severalModes
    /// The payers' amounts leave nothing, or less, for payers without an amount.
    case payersExceed
    /// The amount cannot be changed alone, because several people paid.
    case payersNeeded
    /// The amount is required with a currency that has a different number of decimals.
    case amountNeeded(from: Currency, to: Currency)
    /// The operation would delete the group itself.
    case groupStays
    /// The group's record was deleted and can be undeleted.
    case groupDeleted
    /// A payment that was shown as a proposal is no longer proposed.
    case proposalChanged(Int)
    /// No proposals have been shown on this device, so that a number has no meaning.
    case proposalNotShown(Int)
    /// The person who uses this device was deleted.
    case userDeleted(String)
    /// A file to import has no valid row.
    case nothingReadable([RowProblem])
    /// The role of this device only allows reading.
    case viewer(path: String)
    /// No proposal has that number.
    case noProposal(Int, count: Int)
    /// The group's own currency is unknown, so that an amount needs a currency.
    case groupCurrency(String)
    /// A date cannot be read.
    case date(DateError)
    /// An amount cannot be read.
    case amount(AmountError)
    /// A currency cannot be used.
    case money(MoneyError)
    /// A split cannot be made.
    case split(SplitError)
    /// The typed values do not form an expense. The case has the code for programs, and a message with people's names
    /// and formatted amounts.
    case unusable(code: String, message: String)
    /// An expense cannot be made.
    case expense(ExpenseError)
    /// No settlement can be computed.
    case settlement(SettlementError)
    /// The stored values of a spending do not form an expense, so that it cannot be edited in part.
    case malformedSpending(String, reason: String)
    /// A file as a whole cannot be read.
    case file(SplitwiseFileError)
    /// Rows of a file cannot be read.
    case rows([RowProblem])
    /// The imported spendings would have other balances than the file.
    case balancesDiffer(currencyCode: String, [ImportDifference])
    /// The file has no new spending, and the spendings imported before have other balances than the file.
    case importedDiffers(currencyCode: String)

    /// The location of a fault.
    package enum Place: Hashable, Sendable {
        /// The fault is in the typed input.
        case commandLine
        /// The record that was named does not exist.
        case record
        /// The fault is in the contents of a file.
        case file
    }

    /// The location of the fault.
    package var place: Place {
        switch self {
        case .file, .rows, .nothingReadable, .balancesDiffer, .importedDiffers, .malformedSpending, .settlement,
            .groupStays:
            .file
        case .noGroup, .joinInterrupted, .groupDeleted, .unknownPerson, .unknownRecord, .notDeleted, .noProposal:
            .record
        default: .commandLine
        }
    }

    /// The code of the error, for programs.
    package var code: String {
        switch self {
        case .noGroup: "noGroup"
        case .joinInterrupted: "joinInterrupted"
        case .unknownPerson: "unknownPerson"
        case .ambiguousPerson: "ambiguousPerson"
        case .nameTaken: "nameTaken"
        case .nameWithMark: "nameWithMark"
        case .nobodyNamed: "nobodyNamed"
        case .notDeleted: "notDeleted"
        case .blank: "blank"
        case .tooLong: "tooLong"
        case .nobody: "nobody"
        case .payerNeeded: "payerNeeded"
        case .userDeleted: "userDeleted"
        case .unknownRecord: "unknownRecord"
        case .ambiguousRecord: "ambiguousRecord"
        case .badAssignment: "badAssignment"
        case .severalModes: "severalModes"
        case .payersExceed: "payersExceed"
        case .payersNeeded: "payersNeeded"
        case .noProposal: "noProposal"
        case .amountNeeded: "amountNeeded"
        case .groupStays: "groupStays"
        case .groupDeleted: "groupDeleted"
        case .proposalChanged: "proposalChanged"
        case .proposalNotShown: "proposalNotShown"
        case .viewer: "viewer"
        case .groupCurrency: "groupCurrency"
        case .date: "badDate"
        case .amount: "badAmount"
        case .money: "badCurrency"
        case .split: "badSplit"
        case .unusable(let code, _): code
        case .expense: "badExpense"
        case .settlement: "notZeroSum"
        case .malformedSpending: "malformedSpending"
        case .file: "badFile"
        case .rows, .nothingReadable: "badRows"
        case .balancesDiffer, .importedDiffers: "balancesDiffer"
        }
    }

    /// Returns this error with people's names and formatted amounts instead of identifiers and minor units.
    func worded(_ roster: Roster, _ currency: Currency, _ language: Language) -> BookError {
        func amount(_ minorUnits: Int64) -> String {
            MoneyFormat.plain.string(from: Money(minorUnits: minorUnits, currency: currency))
        }
        return switch self {
        case .split(let error):
            .unusable(code: code, message: error.message(in: language, amount: amount, person: roster.name(of:)))
        case .expense(let error):
            .unusable(code: code, message: error.message(in: language, amount: amount, person: roster.name(of:)))
        default: self
        }
    }
}
