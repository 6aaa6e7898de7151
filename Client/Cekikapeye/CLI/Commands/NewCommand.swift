internal import ArgumentParser
internal import CekikapeyeApp
internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Foundation
internal import Replica
internal import Roost
internal import RoostModel

/// `cekikapeye new`: makes a group.
struct NewCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a group with its people. Works without a server.",
        discussion: """
            EXAMPLES:
              cekikapeye new "Corse 2026" Ana Bob Chloé --currency EUR
              ROOST_ADMIN_TOKEN=… cekikapeye new "Corse 2026" Ana Bob --server https://roost.example.org
            """)

    @Argument(help: "What the group is called.")
    var name: String

    @Argument(help: "The people.")
    var people: [String] = []

    @Option(name: .long, help: "The currency of amounts; else that of the environment's country.")
    var currency: String?

    @Option(name: .long, help: "The file to make; else one named after the group in this folder.", completion: .file())
    var file: String?

    @Option(name: .long, help: "Which of the people uses this device; else asked, or the first.")
    var me: String?

    @Option(name: .long, help: "A server to share the group through.")
    var server: String?

    @Option(name: .long, help: "A file with the server's admin token; else ROOST_ADMIN_TOKEN.", completion: .file())
    var adminTokenFile: String?

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let chosen = try chooseCurrency(context)
        let token = try server.map { _ in try adminToken(context) }
        let path = file ?? context.absolute(GroupFileName.make(from: name))
        let book = try context.createGroup(at: path, name: name, currency: chosen.currency, people: people)
        let contents = try book.contents()
        let user = try chooseUser(context, contents)
        if let user { context.setMe(user.id, in: book) }
        let json = JSONValue.members(
            ("group", BookJSON.group(contents.group)), ("file", .string(book.replica.path)),
            ("people", .array(contents.members.map { BookJSON.member($0) })),
            ("me", user.map { .string($0.name) }), ("server", server.map { .string($0) }))
        if let server, let token {
            try await Connection.createScope(
                book.replica, named: contents.group.name, server: server, adminToken: token,
                device: context.environment.deviceName)
            let report = try await Connection.synchronise(book.replica)
            context.show(json) { describe(context, book, contents, user, chosen.isGuess) }
            return try context.finish(report)
        }
        context.show(json) { describe(context, book, contents, user, chosen.isGuess) }
    }

    private func chooseCurrency(_ context: CommandContext) throws -> (currency: Currency, isGuess: Bool) {
        if let currency {
            do { return (try Currency(code: currency), false) } catch { throw BookError.money(error) }
        }
        guard let guess = LocaleName.currency(context.environment.variables) else { throw CommandError.currencyNeeded }
        return (guess, true)
    }

    private func adminToken(_ context: CommandContext) throws -> String {
        if let adminTokenFile {
            return String(decoding: try context.bytes(ofFile: adminTokenFile), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let token = context.environment.variable("ROOST_ADMIN_TOKEN") else { throw CommandError.adminTokenNeeded }
        return token
    }

    private func chooseUser(_ context: CommandContext, _ contents: BookContents) throws -> Member? {
        if let me { return try contents.member(named: me) }
        // The order typed: whoever makes a group mostly names themselves first.
        let first = try people.first.map { try contents.member(named: $0) }
        guard context.canAsk, people.count > 1 else { return first }
        let question = context.text("Which one are you?", fr: "Qui êtes-vous ?") + " [\(first?.name ?? "")]"
        guard let answer = Prompt.ask(question), !answer.isEmpty else { return first }
        return try contents.member(named: answer)
    }

    private func describe(
        _ context: CommandContext, _ book: ExpenseBook, _ contents: BookContents, _ user: Member?, _ isGuess: Bool
    ) {
        let names = contents.members.map(\.name).joined(separator: ", ")
        let code = contents.group.currency.code
        context.screen.line("\(bold: contents.group.name): \(names)")
        if isGuess {
            context.screen.line(
                Line(
                    context.text(
                        "Currency \(code), from your locale.", fr: "Monnaie \(code), d'après votre pays.")))
        }
        if let user {
            context.screen.line(
                Line(
                    context.text(
                        "You are \(user.name). Change it with: cekikapeye me NAME",
                        fr: "Vous êtes \(user.name). Changer : cekikapeye me NOM")))
        }
        context.screen.line(
            Line(context.text("File: \(book.replica.path)", fr: "Fichier : \(book.replica.path)"), .dim))
        context.screen.line(Line("cekikapeye add 42,50 courses", .dim))
    }
}
