internal import ArgumentParser
internal import Foundation
internal import RoostModel
internal import RoostService
internal import SQLiteStore

struct OwnerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "owner", abstract: "Let an owner into a scope where none is left, also while the server runs.",
        discussion: """
            Prints an invite link for one owner of the scope. A device whose access was lost, because the server was restored \
            from a backup that does not know it or its token is gone, joins with its own file and keeps all that it holds: \
            roost join LINK FILE. Without a scope it lists the scopes. The link is a secret.

            EXAMPLES
              roost-server owner --data /var/lib/roost
              roost-server owner --data /var/lib/roost Lisbon \\
                --server https://roost.example

            EXIT STATUS
              0 done   64 wrong usage, or no such scope   74 the data cannot be read or written
              75 another program holds the data
            """)

    private static let hoursMax = 720

    @Argument(help: "The scope: its UUID, or its name where no other has that.")
    var scope: String?
    @Option(help: "The folder that holds everything.")
    var data = "./roost-server-data"
    @Option(help: "The address by which devices reach the server; the link begins with it.")
    var server: String?
    @Option(help: "How long the link is valid, in hours, 1 to 720.")
    var hours = 72

    func validate() throws {
        guard (1...Self.hoursMax).contains(hours) else {
            throw ValidationError("Cannot invite for \(hours) hours: expected 1 to \(Self.hoursMax).")
        }
        guard (scope == nil) == (server == nil) else {
            throw ValidationError("Name the scope and, with --server, the address by which devices reach the server.")
        }
        if let server, URL(string: server).map({ $0.scheme?.hasPrefix("http") != true || $0.host == nil }) ?? true {
            throw ValidationError(
                "Cannot make a link to \"\(server)\": expected an address such as https://roost.example.")
        }
    }

    func run() async throws {
        umask(0o077)
        try await Failure.reporting {
            try await OperatorStore.with(data, "let an owner into a scope of \"\(data)\"") { store in
                let scopes = try SyncService.scopes(in: store)
                guard let scope, let server else {
                    for scope in scopes { Console.write(scope.line) }
                    return
                }
                let token = try SyncService.inviteOwner(
                    to: try Self.match(scope, scopes).key, hours: hours, in: store,
                    random: RandomSource(SystemRandomNumberGenerator()),
                    now: OperatorStore.now)
                let address = server.hasSuffix("/") ? String(server.dropLast()) : server
                Console.write("\(address)/join#\(token.text)")
            }
        }
    }

    private static func match(
        _ text: String, _ scopes: [SyncService.ScopeSummary]
    ) throws -> SyncService.ScopeSummary {
        let named = scopes.filter { $0.name.utf8.elementsEqual(text.utf8) }
        let found = scopes.filter { ScopeID(text) == $0.id }
        guard let scope = found.first ?? named.first, !found.isEmpty || named.count == 1 else {
            let why = named.isEmpty ? "no scope is" : "\(named.count) scopes are"
            throw Failure(
                "Cannot find the scope: \(why) called \"\(text)\". \"roost-server owner --data …\" lists them.", .usage)
        }
        return scope
    }
}

extension SyncService.ScopeSummary {
    fileprivate var line: String {
        "\(id)  \(devices) devices, \(owners) owners  \(LogLine.escaped(name, inJSON: false))"
    }
}
