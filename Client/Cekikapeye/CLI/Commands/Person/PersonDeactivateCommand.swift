internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye person deactivate`.
struct PersonDeactivateCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "deactivate",
        abstract: "Leave somebody out of new expenses; what was, and their balance, stays.",
        discussion: "EXAMPLES:\n  cekikapeye person deactivate Bob")

    @Argument(help: "The name.")
    var name: String

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openToChange()
        let (member, isStep) = try book.setActive(false, person: name)
        context.showChange(of: book, BookJSON.member(member)) {
            context.screen.line(
                Line(
                    context.text(
                        "\(member.name) takes no part in new expenses. The balance stays.",
                        fr: "\(member.name) ne participe plus aux nouvelles dépenses. Le solde reste.")))
            if isStep { context.showUndo() }
        }
    }
}
