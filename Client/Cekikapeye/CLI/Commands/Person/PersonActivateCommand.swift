internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye person activate`.
struct PersonActivateCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "activate", abstract: "Let somebody take part in new expenses again.",
        discussion: "EXAMPLES:\n  cekikapeye person activate Bob")

    @Argument(help: "The name.")
    var name: String

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openToChange()
        let (member, isStep) = try book.setActive(true, person: name)
        context.showChange(of: book, BookJSON.member(member)) {
            context.screen.line(
                Line(
                    context.text(
                        "\(member.name) takes part in new expenses.",
                        fr: "\(member.name) participe aux nouvelles dépenses.")))
            if isStep { context.showUndo() }
        }
    }
}
