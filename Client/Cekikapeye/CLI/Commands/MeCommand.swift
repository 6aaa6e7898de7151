internal import ArgumentParser
internal import CekikapeyeApp
internal import RoostModel

/// `cekikapeye me`: who uses this device.
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
            let unknown = context.text("Not said yet: cekikapeye me NAME", fr: "Pas encore dit : cekikapeye me NOM")
            context.screen.line(
                Line(user.map { context.text("You are \($0.name).", fr: "Vous êtes \($0.name).") } ?? unknown))
        }
        if name == nil { context.show(json, body) } else { context.showChange(of: book, json, body) }
    }
}
