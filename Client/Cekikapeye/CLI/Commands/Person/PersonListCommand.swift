internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye person list`.
struct PersonListCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people.", discussion: "EXAMPLES:\n  cekikapeye person")

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let contents = try context.openBook().contents()
        let members = contents.members
        let alike = Set(contents.roster.namesakes.flatMap { $0 }.map(\.id))
        context.show(.members(("people", .array(members.map { BookJSON.member($0) })))) {
            for member in members {
                let left = member.isActive ? "" : context.text("  not active", fr: "  inactif")
                // The count shows which of two people with similar names is unused.
                let count = contents.spendings(of: member).count
                let about =
                    alike.contains(member.id)
                    ? context.text(
                        "  \(member.shortID), spendings: \(count)", fr: "  \(member.shortID), dépenses : \(count)") : ""
                context.screen.line("\(bold: Column.name(member.name))\(dim: about)\(dim: left)")
            }
            context.showNamesakes(contents.roster)
        }
    }
}
