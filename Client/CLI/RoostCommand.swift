internal import ArgumentParser
internal import Replica
internal import RoostModel
internal import Terminal

/// The command-line program `roost`.
@main
struct RoostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost",
        abstract: "Keep a group's records on every member's device, and bring them together.",
        discussion: """
            A replica is an ordinary SQLite file: any program may read and write its tables, and what it writes reaches the \
            others at the next "roost sync", or at once while "roostd" runs.

            EXAMPLES
              roost init trip.roost --schema schema.json \\
                --server http://127.0.0.1:8787 --name "Lisbon"
              roost invite trip.roost
              roost join 'http://127.0.0.1:8787/join#roost_i_…' mine.roost
              sqlite3 mine.roost "insert into person(name) values ('Ana')"
              roost sync mine.roost
              roost fetch mine.roost Person --where 'name BEGINSWITH[cd] "a"'
              roost status mine.roost

            \(ExitStatus.help)
            """,
        version: RoostRelease.version,
        subcommands: [
            InitCommand.self, InviteCommand.self, InvitesCommand.self, JoinCommand.self, DevicesCommand.self,
            RevokeCommand.self, RoleCommand.self, TokenCommand.self, SyncCommand.self, StatusCommand.self,
            CheckCommand.self, RepairCommand.self, DigestCommand.self, JournalCommand.self, RestoreCommand.self,
            UndeleteCommand.self, LogCommand.self,
            FetchCommand.self, UpdateCommand.self, DeleteCommand.self, SchemaCommand.self, MigrateCommand.self,
            GenerateCommand.self, ReplayCommand.self,
        ])

    /// The time, in seconds, that a command waits for other programs to release its file. It limits the sum of all waits.
    private static let fileWaitSeconds = 30

    static func main() async {
        SecretArguments.hide()
        Replica.prepareProcess()
        FileWaits.limit(toSeconds: fileWaitSeconds) { Console.note("roost: waiting for \(Console.printable($0))") }
        await main(nil)
    }
}

/// The options of every command.
struct CommonOptions: ParsableArguments {
    @Flag(help: "Write the result as JSON, one value a line.")
    var json = false

    func run(_ body: () async throws -> Void) async throws {
        try await reporting("roost", json: json, body)
    }
}
