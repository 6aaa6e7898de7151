internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel
internal import Terminal

/// The command `cekikapeye balances`, which prints the balances.
struct BalancesCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "balances", abstract: "Show who is owed (+) and who owes (-), per currency.",
        discussion: "EXAMPLES:\n  cekikapeye balances\n  cekikapeye balances --json")

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openBook()
        let contents = try book.contents()
        let sheet = try BalanceSheet(contents)
        context.show(BookJSON.sheet(sheet, contents.roster)) {
            context.showGroupIfGuessed(book)
            context.showBalances(sheet)
            context.showConcerns(contents.roster, leftOut: sheet.leftOut)
        }
        guard sheet.pages.allSatisfy(\.isZeroSum) else { throw ExitCode(ExitStatus.internalError.rawValue) }
    }
}
