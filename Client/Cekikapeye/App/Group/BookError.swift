package import CekikapeyeRules

/// Why something could not be done with a book.
package enum BookError: Error, Hashable, Sendable {
    /// The replica has no group record: it has not been synchronised yet, or belongs to another application.
    case noGroup
    /// The file holds nothing and belongs to no server: joining a group was interrupted.
    case joinInterrupted(path: String)
    /// No person has a name that begins so.
    case unknownPerson(String, candidates: [String])
    /// Several people have a name that begins so.
    case ambiguousPerson(String, candidates: [String])
    /// Somebody has that name already.
    case nameTaken(String)
    /// A name has a comma or an equals sign.
    case nameWithMark(String)
    /// An option was given that names nobody.
    case nobodyNamed(option: String)
    /// Nothing that was deleted has that name or identifier.
    case notDeleted(String)
    /// A name, title or amount of text is blank.
    case blank
    /// A text is longer than the limit, in characters.
    case tooLong(limit: Int)
    /// There is nobody to share an expense.
    case nobody
    /// It was not said who paid, nor who uses this device.
    case payerNeeded(candidates: [String])
    /// No record has an identifier that begins or ends so.
    case unknownRecord(String)
    /// Several records have.
    case ambiguousRecord(String, candidates: [String])
    /// A value of an option is not `NAME=NUMBER`.
    case badAssignment(option: String, String)
    /// Two ways of splitting were given at once.
    case severalModes
    /// The payers' amounts leave nothing, or less, for those without an amount.
    case payersExceed
    /// The amounts cannot be changed because several people paid.
    case payersNeeded
    /// The amount is needed with a currency that has other decimals.
    case amountNeeded(from: Currency, to: Currency)
    /// The group itself would be deleted.
    case groupStays
    /// The group's record was deleted and can be brought back.
    case groupDeleted
    /// A proposal that was shown is none any more.
    case proposalChanged(Int)
    /// No proposals were shown on this device, one of which a number could mean.
    case proposalNotShown(Int)
    /// The person who uses this device was deleted.
    case userDeleted(String)
    /// A file to import has no row that can be read.
    case nothingReadable([RowProblem])
    /// This device's member may only read.
    case viewer(path: String)
    /// No proposal has that number.
    case noProposal(Int, count: Int)
    /// The group's own currency is unknown, so that an amount needs one.
    case groupCurrency(String)
    /// A date cannot be read.
    case date(DateError)
    /// An amount cannot be read.
    case amount(AmountError)
    /// A currency cannot be used.
    case money(MoneyError)
    /// A split cannot be made.
    case split(SplitError)
    /// No expense can be made of the typed values: the cause for programs, and a message in the group's words.
    case unusable(code: String, message: String)
    /// An expense cannot be made.
    case expense(ExpenseError)
    /// No settlement can be computed.
    case settlement(SettlementError)
    /// The stored values of a spending make no expense, so that it cannot be edited in part.
    case malformedSpending(String, reason: String)
    /// A file cannot be read as a whole.
    case file(SplitwiseFileError)
    /// Rows of a file cannot be read.
    case rows([RowProblem])
    /// What would be imported has other balances than the file.
    case balancesDiffer(currencyCode: String, [ImportDifference])
    /// Nothing of a file is new, and what was imported before has other balances than the file.
    case importedDiffers(currencyCode: String)

    /// Where a fault lies.
    package enum Place: Hashable, Sendable {
        /// In what was typed.
        case commandLine
        /// In a name of a record that is not there.
        case record
        /// In what a file holds.
        case file
    }

    /// Where the fault lies.
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

    /// The cause, for programs.
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

    /// This error with people's names and amounts of a currency in the place of identifiers and minor units.
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
