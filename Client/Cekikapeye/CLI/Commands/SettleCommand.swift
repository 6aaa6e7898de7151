internal import ArgumentParser
internal import CekikapeyeApp
internal import CekikapeyeRules
internal import RoostModel

/// The command `cekikapeye settle`, which proposes the fewest payments that settle all balances, or records one.
struct SettleCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle", abstract: "Propose the fewest payments that even out, or record one as made.",
        discussion: """
            A number means the proposal that was shown with it last. Two devices that record the same proposal make one record.

            EXAMPLES:
              cekikapeye settle
              cekikapeye settle --record 1
            """)

    @Option(name: .long, parsing: .unconditional, help: "Record the proposal of this number as made today.")
    var record: Int?

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        if let record { return try write(record, context, try context.openToChange()) }
        let book = try context.openBook()
        let contents = try book.contents()
        let transfers = try book.proposals(contents).flatMap(\.transfers)
        let json = JSONValue.members(
            (
                "transfers",
                .array(
                    transfers.enumerated().map { BookJSON.transfer($0.element, number: $0.offset + 1, contents.roster) }
                )
            ))
        context.setShownProposals(ExpenseBook.fingerprints(of: transfers), of: book)
        context.show(json) {
            context.showGroupIfGuessed(book)
            for (index, transfer) in transfers.enumerated() {
                context.screen.line(
                    "\(index + 1). \(sentence(transfer, context, contents))")
            }
            let isWhole = contents.hidden.isEmpty && contents.spendings.allSatisfy { $0.kind != nil }
            let even =
                isWhole
                ? context.text("Everyone is even.", fr: "Tout le monde est quitte.")
                : context.text(
                    "Everyone is even without the spendings above.",
                    fr: "Tout le monde est quitte sans les dépenses ci-dessus.")
            let last =
                transfers.isEmpty
                ? even
                : context.text("Record one: cekikapeye settle --record 1", fr: "Noter : cekikapeye settle --record 1")
            // Users pay according to this list, so omitted spendings are printed first.
            context.showConcerns(contents.roster, leftOut: contents.spendings.filter { $0.kind == nil })
            context.screen.line(Line(last, transfers.isEmpty ? .plain : .dim))
        }
    }

    private func sentence(_ transfer: ProposedTransfer, _ context: CommandContext, _ contents: BookContents) -> String {
        let (from, to) = (Column.name(contents.name(of: transfer.from)), Column.name(contents.name(of: transfer.to)))
        let amount = context.screen.text(transfer.amount)
        return context.text("\(from) pays \(to) \(amount)", fr: "\(from) paie \(amount) à \(to)")
    }

    private func write(_ number: Int, _ context: CommandContext, _ book: ExpenseBook) throws {
        // A number refers to the list of payments that was printed last.
        guard let shown = context.shownProposals(of: book) else { throw BookError.proposalNotShown(number) }
        let transfer = try book.recordProposal(number, shown: shown)
        let json = JSONValue.members(
            ("recorded", .string(transfer.id.description)), ("from", .string(transfer.from)),
            ("to", .string(transfer.to)), ("amount", BookJSON.money(transfer.amount)))
        context.showChange(of: book, json) {
            let amount = context.screen.text(transfer.amount)
            context.screen.line(
                Line(
                    context.text(
                        "Recorded: \(transfer.from) gave \(amount) to \(transfer.to).",
                        fr: "Noté : \(transfer.from) a donné \(amount) à \(transfer.to).")))
            context.showUndo()
        }
    }
}
