internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye delete`, which deletes a spending.
struct DeleteCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a spending; it can be brought back.",
        discussion: "EXAMPLES:\n  cekikapeye delete 3f9a1c")

    @Argument(help: "The identifier, or the end of it as \"cekikapeye list\" shows it.")
    var id: String

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openToChange()
        let spending = try book.deleteSpending(id)
        let json = JSONValue.members(
            ("deleted", .string(spending.id.description)), ("title", .string(spending.title)))
        context.showChange(of: book, json) {
            let id = String(spending.id.description.suffix(12))
            context.screen.line(
                Line(
                    context.text(
                        "Deleted \(spending.title). Bring back: cekikapeye undelete \(id)",
                        fr: "Supprimé : \(spending.title). Rétablir : cekikapeye undelete \(id)")))
        }
    }
}
