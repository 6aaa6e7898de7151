internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// `cekikapeye undo`: takes the last step back.
struct UndoCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo the last step made on this device, then the one before.",
        discussion: "Also works after a sync: the undo is a change like any other.\n\nEXAMPLES:\n  cekikapeye undo")

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let label = try context.openBook().undo()
        context.show(.members(("undone", label.map { .string($0) } ?? .null))) {
            let nothing = context.text("There is nothing to undo.", fr: "Rien à annuler.")
            context.screen.line(
                Line(label.map { context.text("Undone: \($0).", fr: "Annulé : \($0).") } ?? nothing))
        }
    }
}
