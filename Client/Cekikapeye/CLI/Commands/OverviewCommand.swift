internal import ArgumentParser
internal import CekikapeyeApp
internal import CekikapeyeRules
internal import RoostModel

/// The command that `cekikapeye` runs without arguments: an overview on one screen.
struct OverviewCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "overview",
        abstract: "Balances, last entries and sync state on one screen; what runs without a command.",
        discussion: "EXAMPLES:\n  cekikapeye\n  cekikapeye overview --json")

    @OptionGroup var common: CommonOptions

    private static let lastMax = 5

    func run(in context: CommandContext) async throws {
        let book: ExpenseBook
        do {
            book = try context.openBook()
        } catch CommandError.noGroup {
            return welcome(context)
        } catch CommandError.lastGroupMissing(let path) {
            // The user may have deleted the file intentionally, so this is not a failure.
            context.screen.warn(CommandError.lastGroupMissing(path).message(in: context.language))
            return welcome(context)
        }
        guard try book.group() != nil else {
            if try book.deletedGroup() != nil { throw BookError.groupDeleted }
            return context.screen.line(Line(try context.syncLine(book.replica)))
        }
        let contents = try book.contents()
        let sheet = try BalanceSheet(contents)
        let sync = try context.syncLine(book.replica)
        let last = Array(
            contents.spendings.sorted { ($1.date, $1.id) < ($0.date, $0.id) }.prefix(Self.lastMax))
        let json = JSONValue.members(
            ("overview", BookJSON.sheet(sheet, contents.roster)),
            ("last", .array(last.map { BookJSON.spending($0, contents.roster) })),
            ("sync", try context.syncJSON(book.replica))
        )
        context.show(json) {
            context.screen.line("\(bold: Column.name(contents.group.name))")
            context.showBalances(sheet)
            context.screen.line()
            context.showSpendings(last, contents.roster)
            context.showConcerns(contents.roster, leftOut: sheet.leftOut)
            context.screen.line(Line(sync, .dim))
        }
    }

    private func welcome(_ context: CommandContext) {
        context.show(.members(("group", .null))) {
            let lines = context.text(
                """
                No group yet. Try:  cekikapeye new "Corse 2026" Ana Bob Chloé
                                    cekikapeye join LINK      cekikapeye import FILE
                """,
                fr: """
                    Aucun groupe. Essayez :  cekikapeye new "Corse 2026" Ana Bob Chloé
                                             cekikapeye join LIEN      cekikapeye import FICHIER
                    """)
            for line in lines.parts(at: "\n") { context.screen.line(Line(line)) }
        }
    }
}
