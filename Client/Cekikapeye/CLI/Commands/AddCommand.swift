internal import ArgumentParser
internal import CekikapeyeApp
internal import CekikapeyeRules
internal import RoostModel

/// The command `cekikapeye add`, which enters a spending.
struct AddCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Enter a spending, and see how it was understood.",
        discussion: """
            EXAMPLES:
              cekikapeye add 42,50 courses
              cekikapeye add 60 fuel --by Bob --for Ana,Bob --date yesterday
              cekikapeye add 12+4.50 café --exact Bob=8
              cekikapeye add 90 rent --by Ana=60,Bob=30 --shares Ana=2,Bob=1
              cekikapeye add 20 "paid back" --by Bob --for Ana --kind transfer
              cekikapeye add -5 refund
            """)

    @Argument(help: "The amount, such as 42,50, 12+4.50 or -5.")
    var amount: String

    @Argument(help: "What it was for.")
    var title: [String]

    @OptionGroup(title: "Who") var split: SplitOptions

    @Option(name: .long, parsing: .unconditional, help: "The day: YYYY-MM-DD, today, yesterday or -3d.")
    var date: String?

    @Option(name: .long, help: "The currency; else the group's.")
    var currency: String?

    @Option(name: .long, help: "A category.")
    var category: String?

    @Option(name: .long, help: "A note.")
    var note: String?

    @Option(name: .long, help: "expense, transfer or income.")
    var kind = ExpenseKind.expense

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openToChange()
        var request = AddRequest(amount: amount, title: title.joined(separator: " "))
        request.split = split.request
        request.date = date
        request.currency = currency
        request.category = category
        request.note = note
        request.kind = kind
        request.me = context.me(in: book)
        let entered = try book.add(request)
        context.showChange(of: book, BookJSON.entered(entered)) { context.show(entered) }
    }
}

extension ExpenseKind: ExpressibleByArgument {}

extension CommandContext {
    /// Prints the interpretation of an entered spending, and how to undo it.
    func show(_ entered: EnteredSpending) {
        showReading(entered.reading)
        let id = shortID(entered.id, entered.contents.roster)
        screen.line(
            "\(bold: entered.expense.title): \(sentence(entered.expense, entered.contents.roster))  \(dim: "\(entered.expense.date) \(id)")"
        )
        if entered.isStep { showUndo() }
    }
}
