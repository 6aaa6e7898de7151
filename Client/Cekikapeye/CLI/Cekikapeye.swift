internal import ArgumentParser
internal import CekikapeyeRules
internal import Replica
internal import RoostModel
internal import Terminal

/// The program `cekikapeye`.
@main
struct Cekikapeye: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cekikapeye",
        abstract: "Shared expenses of a group, on this device first.",
        discussion: """
            Everything works without a network; "sync" exchanges with the others when there is one.

            EXAMPLES:
              cekikapeye new "Corse 2026" Ana Bob Chloé --currency EUR
              cekikapeye add 42,50 courses
              cekikapeye add 60 fuel --by Bob --for Ana,Bob
              cekikapeye
              cekikapeye settle

            \(ExitStatus.help)
            """,
        version: RoostRelease.version,
        subcommands: [
            OverviewCommand.self, NewCommand.self, ShareCommand.self, JoinCommand.self, InviteCommand.self,
            SyncCommand.self,
            AddCommand.self, EditCommand.self, DeleteCommand.self, UndeleteCommand.self, ListCommand.self,
            BalancesCommand.self, SettleCommand.self, PersonCommand.self, MeCommand.self, CurrencyCommand.self,
            ImportCommand.self,
            ExportCommand.self, UndoCommand.self, RedoCommand.self, LogCommand.self, StatusCommand.self,
        ],
        defaultSubcommand: OverviewCommand.self)

    static func main() async {
        SecretArguments.hide()
        Replica.prepareProcess()
        let words = CommandWords(commands: subcommandNames)
        let arguments = words.reordered(Array(CommandLine.arguments.dropFirst()))
        if let word = words.unknownCommand(arguments) {
            let language = LocaleName.messages(ProcessEnvironment.current().variables)
            let error = CommandError.noSuchCommand(word, suggestion: words.suggestion(for: word))
            Screen(hasColour: false, money: .plain).warn(error.message(in: language))
            exit(withError: ExitCode(ExitStatus.usage.rawValue))
        }
        await main(SignedAmount.marked(arguments))
    }

    /// The names of the commands, each with those of its subcommands.
    private static var subcommandNames: [String: [String]] {
        var names: [String: [String]] = [:]
        for command in configuration.subcommands {
            let own = command.configuration.subcommands.compactMap { $0.configuration.commandName }
            if let name = command.configuration.commandName { names[name] = own }
        }
        return names
    }
}
