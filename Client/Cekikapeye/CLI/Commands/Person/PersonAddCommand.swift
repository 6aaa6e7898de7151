internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye person add`.
struct PersonAddCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add people.", discussion: "EXAMPLES:\n  cekikapeye person add Dora Émile")

    @Argument(help: "The names.")
    var names: [String]

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openToChange()
        let added = try book.addPeople(names)
        context.showChange(of: book, .members(("added", .array(added.map { BookJSON.member($0) })))) {
            let list = added.map(\.name).joined(separator: ", ")
            context.screen.line(Line(context.text("Added \(list).", fr: "Ajoutés : \(list).")))
            context.showUndo()
        }
    }
}
