internal import ArgumentParser
internal import CekikapeyeApp
internal import CekikapeyeRules
internal import RoostModel

/// The command `cekikapeye currency`, which prints or sets the currency of the group.
struct CurrencyCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "currency", abstract: "Show or set the currency of amounts that are entered without one.",
        discussion:
            "Amounts that were entered before keep theirs.\n\nEXAMPLES:\n  cekikapeye currency\n  cekikapeye currency EUR"
    )

    @Argument(help: "The code, such as EUR.")
    var code: String?

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        guard let code else {
            let group = try context.openBook().roster().group
            return context.show(BookJSON.group(group)) { context.screen.line(Line(group.currencyCode)) }
        }
        let currency: Currency
        do { currency = try Currency(code: code) } catch { throw BookError.money(error) }
        let book = try context.openToChange()
        let isStep = try book.setCurrency(currency)
        context.showChange(of: book, .members(("currency", .string(currency.code)))) {
            context.screen.line(
                Line(
                    context.text(
                        "Amounts are in \(currency.code) unless said otherwise.",
                        fr: "Les montants sont en \(currency.code), sauf indication contraire.")))
            if isStep { context.showUndo() }
        }
    }
}
