internal import ArgumentParser
internal import CekikapeyeApp
internal import Roost
internal import RoostModel

/// The command `cekikapeye share`, which puts a local group on a server.
struct ShareCommand: BookCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Put a group made without a server on one, so that others can join.",
        discussion: """
            EXAMPLES:
              ROOST_ADMIN_TOKEN=… cekikapeye share --server https://roost.example.org
              cekikapeye invite
              cekikapeye share --again --server https://roost.example.org --admin-token-file admin-token
            """)

    @Flag(name: .long, help: "Put the group on a server again, because its server lost its data.")
    var again = false

    @OptionGroup var server: ServerOptions

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard server.server != nil else { throw ValidationError("Missing expected argument '--server <server>'") }
    }

    func run(in context: CommandContext) async throws {
        let token = try server.adminToken(context)
        let book = try context.openBook()
        let address = server.server ?? ""
        let report =
            try await again
            ? context.shareAgain(book, server: address, token: token)
            : context.share(book, server: address, token: token)
        context.showChange(of: book, context.json(report)) { context.describe(report, of: book) }
        try context.finish(report)
    }
}

extension CommandContext {
    /// Creates a scope on a server for a book that is on no server yet, and pushes the contents of the book.
    func share(_ book: ExpenseBook, server: String, token: String) async throws -> SyncReport {
        if let membership = try book.replica.membership() {
            throw CommandError.alreadyShared(server: membership.server)
        }
        let roster = try book.roster()
        let name = roster.group.name
        let user = me(in: book).flatMap { id in roster.members.first { $0.id == id } }
        try await administering(server) {
            try await book.replica.createScope(
                named: name, on: server, adminToken: token, device: deviceName(of: user?.name))
        }
        return try await book.replica.synchronise()
    }

    /// Recreates the scope of a book on a server that does not have it, and pushes the contents of the book.
    func shareAgain(_ book: ExpenseBook, server: String, token: String) async throws -> SyncReport {
        try await administering(server) {
            try await book.replica.seedScope(on: server, adminToken: token)
        }
        return try await book.replica.synchronise()
    }

    /// Rewords the refusal of an admin token; the server's text is meant for programs.
    private func administering(_ server: String, _ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as RoostError where error.serverCode == "unauthorized" {
            throw CommandError.wrongAdminToken(server: server)
        }
    }

    /// Returns the device name for other users: the machine, preceded by the device's user if known.
    func deviceName(of user: String?) -> String {
        let machine = environment.deviceName.split(separator: ".").first.map(String.init) ?? environment.deviceName
        return user.map { "\($0) (\(machine))" } ?? machine
    }
}
