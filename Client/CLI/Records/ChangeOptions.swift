internal import ArgumentParser

/// The records that a command changes: some, or explicitly all.
struct ChangeOptions: ParsableArguments {
    @OptionGroup var selection: SelectionOptions
    @Flag(help: "All records of the entity.")
    var all = false

    func validate() throws {
        guard all != (selection.format != nil) else {
            throw ValidationError("Say which records with --where, or all of them with --all.")
        }
    }
}
