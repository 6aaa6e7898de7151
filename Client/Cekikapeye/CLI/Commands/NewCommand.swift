internal import ArgumentParser
internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Replica
internal import Roost
internal import RoostModel

/// The command `cekikapeye new`, which creates a group.
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

    @Option(name: .long, help: "Which of the people uses this device; else the first.")
    var me: String?

    @OptionGroup var server: ServerOptions

    @OptionGroup var common: CommonOptions

    func run(in context: CommandContext) async throws {
        let chosen = try chooseCurrency(context)
        let token = try server.server.map { _ in try server.adminToken(context) }
        let userName = try chooseUser(context)
        let path = file ?? context.absolute(GroupFileName.make(from: name))
        let book = try context.createGroup(at: path, name: name, currency: chosen.currency, people: names)
        let roster = try book.roster()
        let user = try userName.map { try roster.member(named: $0) }
        if let user { context.setMe(user.id, in: book) }
        let json = JSONValue.members(
            ("group", BookJSON.group(roster.group)), ("file", .string(book.replica.path)),
            ("people", .array(roster.members.map { BookJSON.member($0) })),
            ("me", user.map { .string($0.name) }), ("server", server.server.map { .string($0) }))
        context.show(json) { describe(context, book, roster, user, chosen.isGuess) }
        guard let address = server.server, let token else { return }
        let report: SyncReport
        do { report = try await context.share(book, server: address, token: token) } catch {
            context.screen.warn(
                context.text(
                    "The group is on this device only. Try again: cekikapeye share --server \(ShellWord.quoted(address))",
                    fr:
                        "Le groupe n'est que sur cet appareil. Réessayez : cekikapeye share --server \(ShellWord.quoted(address))"
                ))
            throw error
        }
        try context.finish(report)
    }

    private func chooseCurrency(_ context: CommandContext) throws -> (currency: Currency, isGuess: Bool) {
        if let currency {
            do { return (try Currency(code: currency), false) } catch { throw BookError.money(error) }
        }
        guard let guess = LocaleName.currency(context.environment.variables) else { throw CommandError.currencyNeeded }
        return (guess, true)
    }

    /// Returns the typed name of this device's user, before a file is created. The default is the first name, since
    /// users who create a group mostly name themselves first.
    private func chooseUser(_ context: CommandContext) throws(BookError) -> String? {
        if let me { return try typedName(me) }
        return names.first
    }

    private var names: [String] { ExpenseBook.names(in: people) }

    private func typedName(_ text: String) throws(BookError) -> String {
        let wanted = FoldedText(text)
        let fitting = names.filter { FoldedText($0).hasPrefix(wanted) }
        if let whole = fitting.first(where: { FoldedText($0) == wanted }) { return whole }
        guard let first = fitting.first else { throw .unknownPerson(text, candidates: names) }
        guard fitting.count == 1 else { throw .ambiguousPerson(text, candidates: fitting) }
        return first
    }

    private func describe(
        _ context: CommandContext, _ book: ExpenseBook, _ roster: Roster, _ user: Member?, _ isGuess: Bool
    ) {
        let names = roster.members.map(\.name).joined(separator: ", ")
        let code = roster.group.currencyCode
        context.screen.line("\(bold: roster.group.name)\(names.isEmpty ? "" : ": ")\(names)")
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
        let isEmpty = roster.members.isEmpty
        context.screen.line(
            Line(isEmpty ? "cekikapeye person add Ana Bob" : "cekikapeye add 42,50 courses", .dim))
    }
}
