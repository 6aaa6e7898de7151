internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye edit`, which changes a spending.
struct EditCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change a spending; what is not named stays.",
        discussion: """
            EXAMPLES:
              cekikapeye edit 3f9a1c --amount 45
              cekikapeye edit 3f9a1c --title "Courses, marché" --for Ana,Bob
            """)

    @Argument(help: "The identifier, or the end of it as \"cekikapeye list\" shows it.")
    var id: String

    @Option(name: .long, parsing: .unconditional, help: "The amount.")
    var amount: String?

    @Option(name: .long, help: "What it was for.")
    var title: String?

    @OptionGroup(title: "Who") var split: SplitOptions

    @Option(name: .long, parsing: .unconditional, help: "The day: YYYY-MM-DD, today, yesterday or -3d.")
    var date: String?

    @Option(name: .long, help: "The currency; the number stays, where both have the same decimals.")
    var currency: String?

    @Option(name: .long, help: "A category; a blank one takes it away.")
    var category: String?

    @Option(name: .long, help: "A note; a blank one takes it away.")
    var note: String?

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        var request = EditRequest()
        request.amount = amount
        request.title = title
        request.split = split.request
        request.date = date
        request.currency = currency
        request.category = category
        request.note = note
        guard !request.isEmpty else { throw CommandError.nothingToChange }
        let book = try context.openToChange()
        let entered = try book.edit(id, request)
        context.showChange(of: book, BookJSON.entered(entered)) { context.show(entered) }
    }
}
