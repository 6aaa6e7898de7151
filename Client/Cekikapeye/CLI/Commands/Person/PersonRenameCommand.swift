internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye person rename`.
struct PersonRenameCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give somebody another name.",
        discussion: "EXAMPLES:\n  cekikapeye person rename Bob \"Bob M.\"")

    @Argument(help: "The name.")
    var name: String

    @Argument(help: "The new name.")
    var newName: String

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openToChange()
        let (old, new, isStep) = try book.rename(person: name, to: newName)
        context.showChange(of: book, BookJSON.member(new)) {
            context.screen.line(
                Line(context.text("\(old.name) is now \(new.name).", fr: "\(old.name) s'appelle \(new.name).")))
            if isStep { context.showUndo() }
        }
    }
}
