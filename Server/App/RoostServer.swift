internal import ArgumentParser

/// The server program.
@main
struct RoostServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-server", abstract: "Keep the records of scopes and bring their devices together.",
        discussion: "See protocol.md for what it speaks, Docs/server.md for how to run it.", version: "0.1.0",
        subcommands: [ServeCommand.self, ReplayCommand.self], defaultSubcommand: ServeCommand.self)
}
