internal import ArgumentParser

/// The options of every command.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "The group's file. Else CEKIKAPEYE_GROUP, the only *.roost file here, or the group used last.",
        completion: .file(extensions: ["roost"]))
    var group: String?

    @Flag(name: .long, help: "Write JSON, for programs.")
    var json = false

    @Option(name: .long, help: "The language of the output; else that of the environment.")
    var language: LanguageChoice?
}
