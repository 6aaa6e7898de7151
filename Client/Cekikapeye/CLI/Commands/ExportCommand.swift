internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye export`, which writes the entire book as JSON.
struct ExportCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the whole book as JSON.",
        discussion: "EXAMPLES:\n  cekikapeye export > corse.json")

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let contents = try context.openBook().contents()
        context.screen.json(
            .members(
                ("format", .integer(1)), ("group", BookJSON.group(contents.group)),
                ("people", .array(contents.members.map { BookJSON.member($0) })),
                ("spendings", .array(contents.spendings.map { BookJSON.spending($0, contents.roster) })),
                ("hidden", BookJSON.hidden(contents.roster))))
    }
}
