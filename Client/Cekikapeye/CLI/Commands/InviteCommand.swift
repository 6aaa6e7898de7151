internal import ArgumentParser
internal import CekikapeyeApp
internal import Roost
internal import RoostModel
internal import Terminal

/// The command `cekikapeye invite`, which makes an invite link.
struct InviteCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Make an invite link for others.",
        discussion: """
            Whoever has the link can join: hand it over as you would a key.

            EXAMPLES:
              cekikapeye invite
              cekikapeye invite --role viewer --hours 2 --uses 5
            """)

    @Option(name: .long, help: "What they may do: viewer, editor or owner.", transform: ScopeRole.init(argument:))
    var role = ScopeRole.editor

    @Option(name: .long, parsing: .unconditional, help: "For how many hours the link is valid.")
    var hours = 24

    @Option(name: .long, parsing: .unconditional, help: "How many devices may join with it.")
    var uses = 1

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openBook()
        let link = try await book.replica.scope.invite(role: role, hours: hours, uses: uses)
        let json = JSONValue.members(
            ("link", .string(link)), ("role", .string(role.rawValue)), ("hours", .integer(hours)),
            ("uses", .integer(uses)))
        // Standard output has only the link, so that it can be piped.
        context.show(json) { context.screen.line(Line(link)) }
        if !context.options.json { context.screen.note(context.groupLine(of: book)) }
    }
}
