import ArgumentParser
import Foundation
import Replica

/// Measures the table of design.md, with client and server in their real processes.
@main
struct RoostBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-bench", abstract: "Measure Roost, and say how each figure stands against its bar.",
        discussion: RunCommand.rows,
        subcommands: [
            RunCommand.self, GrowthCommand.self, ObserveCommand.self, SyncCommand.self, HoldCommand.self,
            RelayCommand.self, ReceiveCommand.self,
        ],
        defaultSubcommand: RunCommand.self)

    static func main() async {
        Replica.prepareProcess()
        await main(nil)
    }
}
