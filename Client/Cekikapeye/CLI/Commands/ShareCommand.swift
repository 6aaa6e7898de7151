internal import ArgumentParser
internal import CekikapeyeApp
internal import Roost
internal import RoostModel

/// `cekikapeye share`: puts a group of this device on a server.
struct ShareCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Put a group made without a server on one, so that others can join.",
        discussion: """
            EXAMPLES:
              ROOST_ADMIN_TOKEN=… cekikapeye share --server https://roost.example.org
              cekikapeye invite
            """)

    @OptionGroup var server: ServerOptions

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard server.server != nil else { throw ValidationError("Missing expected argument '--server <server>'") }
    }

    func run(in context: CommandContext) async throws {
        let token = try server.adminToken(context)
        let book = try context.openBook()
        let report = try await context.share(book, server: server.server ?? "", token: token)
        context.show(context.json(report)) { context.describe(report) }
        try context.finish(report)
    }
}

extension CommandContext {
    /// Makes a scope on a server out of a book that none knows yet, and sends what the book holds.
    func share(_ book: ExpenseBook, server: String, token: String) async throws -> SyncReport {
        let roster = try book.roster()
        let name = roster.group.name
        let user = me(in: book).flatMap { id in roster.members.first { $0.id == id } }
        try await Connection.createScope(
            book.replica, named: name, server: server, adminToken: token, device: deviceName(of: user?.name))
        return try await Connection.synchronise(book.replica)
    }

    /// What others see this device by: its user where that is known, and the machine.
    func deviceName(of user: String?) -> String {
        let machine = environment.deviceName.split(separator: ".").first.map(String.init) ?? environment.deviceName
        return user.map { "\($0) (\(machine))" } ?? machine
    }
}
