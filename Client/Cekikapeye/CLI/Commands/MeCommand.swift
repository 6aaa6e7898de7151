internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// The command `cekikapeye me`, which prints or sets the user of this device.
struct MeCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "me", abstract: "Say or show which of the people uses this device. Not shared.",
        discussion: "EXAMPLES:\n  cekikapeye me\n  cekikapeye me Ana")

    @Argument(help: "The name.")
    var name: String?

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let book = try context.openBook()
        let roster = try book.roster()
        if let name { context.setMe(try roster.member(named: name).id, in: book) }
        let id = context.me(in: book)
        let user = roster.members.first { $0.id == id }
        let json = JSONValue.members(("me", user.map { BookJSON.member($0) } ?? .null))
        let body = {
            guard let user else {
                return context.screen.line(Line(unknown(id.flatMap { roster.deletedName(of: $0) }, context)))
            }
            context.screen.line(Line(context.text("You are \(user.name).", fr: "Vous êtes \(user.name).")))
        }
        if name == nil { context.show(json, body) } else { context.showChange(of: book, json, body) }
    }

    /// Returns the text for a device without a known user.
    ///
    /// - Parameter deleted: The name of the user, if somebody has deleted the user's person.
    private func unknown(_ deleted: String?, _ context: CommandContext) -> String {
        guard let deleted else {
            return context.text("Not said yet: cekikapeye me NAME", fr: "Pas encore dit : cekikapeye me NOM")
        }
        let (name, word) = (Column.name(deleted), ShellWord.last(deleted))
        return context.text(
            "You are \(name), who was deleted. Bring them back: cekikapeye undelete \(word)",
            fr: "Vous êtes \(name), qui a été supprimé. Rétablir : cekikapeye undelete \(word)")
    }
}
