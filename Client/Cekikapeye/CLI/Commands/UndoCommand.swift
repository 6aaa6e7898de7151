internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye undo`, which undoes the last step.
struct UndoCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo the last step made on this device, then the one before.",
        discussion: """
            Also works after a sync: the undo is a change like any other. It is refused where others have changed or built \
            on what it would take away. "cekikapeye redo" takes it back.

            EXAMPLES:
              cekikapeye undo
            """)

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openToChange()
        let label = try book.undo()
        context.showChange(of: book, .members(("undone", label.map { .string($0) } ?? .null))) {
            let nothing = context.text("There is nothing to undo.", fr: "Rien à annuler.")
            context.screen.line(
                Line(label.map { context.text("Undone: \($0).", fr: "Annulé : \($0).") } ?? nothing))
        }
    }
}

/// The command `cekikapeye redo`, which redoes the step that was undone last.
struct RedoCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo", abstract: "Do again what was undone last, unless something else was done since.",
        discussion: "EXAMPLES:\n  cekikapeye redo")

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openToChange()
        let label = try book.redo()
        context.showChange(of: book, .members(("redone", label.map { .string($0) } ?? .null))) {
            let nothing = context.text("There is nothing to redo.", fr: "Rien à rétablir.")
            context.screen.line(
                Line(label.map { context.text("Redone: \($0).", fr: "Rétabli : \($0).") } ?? nothing))
        }
    }
}
