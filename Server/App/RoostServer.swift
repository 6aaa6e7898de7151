internal import ArgumentParser
internal import Foundation
internal import RoostModel
internal import SQLiteStore

/// The server program.
@main
struct RoostServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-server", abstract: "Keep the records of scopes and bring their devices together.",
        discussion: """
            The first start makes the folder and an admin token in it, and says where. Docs/server.md tells how to run it for \
            others, protocol.md what it speaks.

            EXAMPLES
              roost-server serve --data server
              roost-server serve --data /var/lib/roost \\
                --listen 127.0.0.1:8787 --log-format json
              roost-server backup --data server --to roost.sqlite
              roost-server restore --data server --from roost.sqlite
              roost-server owner --data server Lisbon \\
                --server https://roost.example
              roost-server clock accept --data server
              roost-server replay --explain < histories.jsonl
            """, version: RoostRelease.version,
        subcommands: [
            InitCommand.self, ServeCommand.self, BackupCommand.self, RestoreCommand.self, OwnerCommand.self,
            ClockCommand.self, ReplayCommand.self,
        ],
        defaultSubcommand: ServeCommand.self)

    static func main() async {
        guard CommandLine.arguments.count > 1 else {
            Console.note(
                "roost-server: No command. Use \"roost-server serve --data FOLDER\", or \"roost-server --help\". If you named one, "
                    + "this system has no /proc, from which a program reads its arguments.")
            Foundation.exit(64)
        }
        SQLiteStore.prepareProcess()
        await main(nil)
    }
}
