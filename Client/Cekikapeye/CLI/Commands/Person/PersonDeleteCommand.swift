internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye person delete`.
struct PersonDeleteCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete somebody, which hides the spendings listed under them. Rather deactivate.",
        discussion: """
            Needs --yes when no terminal is there to ask. "cekikapeye undelete NAME" brings all of it back.

            EXAMPLES:
              cekikapeye person delete Bob --yes
            """)

    @Argument(help: "The name.")
    var name: String

    @Flag(name: .long, help: "Do not ask.")
    var yes = false

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openToChange()
        let contents = try book.contents()
        let member = try contents.member(named: name)
        try confirm(member, contents.spendings.count { $0.person == member.id }, context)
        let (person, hidden) = try book.deletePerson(member.id.description)
        let json = JSONValue.members(
            ("deleted", .string(person.id.description)), ("name", .string(person.name)), ("hidden", .integer(hidden)))
        context.showChange(of: book, json) {
            context.screen.line(
                Line(
                    context.text(
                        "Deleted \(person.name); \(hidden) \(hidden == 1 ? "spending is" : "spendings are") hidden. "
                            + "Bring back: cekikapeye undelete \(ShellWord.last(person.name))",
                        fr: "Supprimé : \(person.name) ; dépenses masquées : \(hidden). Rétablir : cekikapeye undelete "
                            + "\(ShellWord.last(person.name))")))
        }
    }

    private func confirm(_ member: Member, _ count: Int, _ context: CommandContext) throws {
        guard !yes else { return }
        guard context.canAsk else { throw CommandError.notConfirmed(member.name) }
        let question = context.text(
            "Deleting \(member.name) hides \(count) spendings and changes balances; deactivating keeps them. Delete? [y/N]",
            fr: "Supprimer \(member.name) masque \(count) dépenses et change les soldes ; désactiver les garde. "
                + "Supprimer ? [o/N]")
        guard Prompt.confirms(question) else { throw CommandError.notConfirmed(member.name) }
    }
}
