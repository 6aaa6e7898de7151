import ArgumentParser
import Replica

/// Counts the instructions of the hot paths: a figure that does not depend on the machine's load.
@main
struct RoostInstructions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roost-instructions", abstract: "Count the instructions of the hot paths.",
        discussion: """
            PATHS

            """
                + HotPath.all.map { "  \($0.name)\n      \($0.help)" }.joined(separator: "\n"),
        subcommands: [CountCommand.self, PlayCommand.self, HotFunctionsCommand.self],
        defaultSubcommand: CountCommand.self)

    static func main() {
        Replica.prepareProcess()
        main(nil)
    }
}
