internal import ArgumentParser
internal import Foundation
internal import Roost
internal import SchemaGenerator
internal import Terminal

struct GenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Write typed source code for a schema.",
        discussion: """
            EXAMPLE
              roost generate swift schema.json --output Sources/Model/Model.swift
            """, subcommands: [GenerateSwiftCommand.self])
}

struct GenerateSwiftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swift", abstract: "Write Swift: a class of objects for each entity.",
        discussion: """
            The file has the schema's text too. Keep it with your sources, and write it again when the schema changes: the same \
            schema gives the same bytes.

            EXAMPLES
              roost generate swift schema.json --output Sources/Model/Model.swift
              roost generate swift schema.json --structs \\
                --access public --output Sources/Model/Rows.swift
            """)

    @Argument(help: "The schema file.")
    var schema: String
    @Option(help: "Where to write it. Default: standard output.")
    var output: String?
    @Option(help: "The declarations' access level: internal, package or public. Public classes are open.")
    var access = "internal"
    @Flag(help: "Write plain structs of rows, for programs that use SQL, instead of classes.")
    var structs = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            guard let level = AccessLevel(rawValue: access) else {
                throw RoostError(.invalidArgument, "--access is \"\(access)\", expected internal, package or public.")
            }
            let source = SwiftGenerator.source(
                for: try SchemaFile.read(schema), form: structs ? .structs : .classes, accessLevel: level)
            guard let output else {
                FileHandle.standardOutput.write(Data(source.utf8))
                return
            }
            guard FileManager.default.createFile(atPath: output, contents: Data(source.utf8)) else {
                throw RoostError(.invalidArgument, "Cannot write \"\(output)\": the folder is missing or not writable.")
            }
            if !common.json { Console.write("Wrote \"\(output)\".") }
        }
    }
}
