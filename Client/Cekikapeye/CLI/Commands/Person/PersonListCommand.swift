internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// `cekikapeye person list`.
struct PersonListCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people.", discussion: "EXAMPLES:\n  cekikapeye person")

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let members = try context.openBook().roster().members
        context.show(.members(("people", .array(members.map { BookJSON.member($0) })))) {
            for member in members {
                let left = member.isActive ? "" : context.text("  not active", fr: "  inactif")
                context.screen.line("\(bold: member.name)\(dim: left)")
            }
        }
    }
}
