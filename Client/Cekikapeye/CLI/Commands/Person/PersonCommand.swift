internal import ArgumentParser

/// The command `cekikapeye person`, whose subcommands manage the people of the group.
struct PersonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person", abstract: "List, add, rename, deactivate or delete people.",
        subcommands: [
            PersonListCommand.self, PersonAddCommand.self, PersonDeactivateCommand.self, PersonActivateCommand.self,
            PersonRenameCommand.self, PersonDeleteCommand.self,
        ],
        defaultSubcommand: PersonListCommand.self)
}
