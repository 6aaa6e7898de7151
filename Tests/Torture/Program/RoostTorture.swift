internal import ArgumentParser

@main struct RoostTorture: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-torture", abstract: "Torture the programs that were built beside this one.",
        subcommands: [RunCommand.self, WriteCommand.self, FixturesCommand.self], defaultSubcommand: RunCommand.self)
}
