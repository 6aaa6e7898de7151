internal import ArgumentParser
internal import Foundation
internal import Replica
internal import Roost
internal import SchemaGenerator
internal import Terminal

struct GenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Write typed source code for a schema, or files for other programs.",
        discussion: """
            EXAMPLES
              roost generate swift schema.json --output Sources/Model/Model.swift
              roost generate typescript schema.json --output src/model.ts
              roost generate datasette trip.roost --output metadata.json
              roost generate alembic trip.roost --output roost_names.py
            """,
        subcommands: [
            GenerateSwiftCommand.self, GenerateTypeScriptCommand.self, GenerateDatasetteCommand.self,
            GenerateAlembicCommand.self,
        ])
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
    @Flag(help: "Give the imports the access level, for a module whose other files do so (internal import Foundation).")
    var leveledImports = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            guard let level = AccessLevel(rawValue: access) else {
                throw RoostError(.invalidArgument, "--access is \"\(access)\", expected internal, package or public.")
            }
            let source = SwiftGenerator.source(
                for: try SchemaFile.read(schema), form: structs ? .structs : .classes, accessLevel: level,
                imports: leveledImports ? .leveled : .plain)
            try GeneratedText(source).write(to: output, isReported: !common.json)
        }
    }
}

struct GenerateTypeScriptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "typescript", abstract: "Write TypeScript: the entities, for the JavaScript client.",
        discussion: """
            The file has the schema's text too. Keep it with your sources, and write it again when the schema changes: the same \
            schema gives the same bytes.

            EXAMPLES
              roost generate typescript schema.json --output src/model.ts
              roost generate typescript schema.json --client ./roost.js --output model.ts
            """)

    @Argument(help: "The schema file.")
    var schema: String
    @Option(help: "Where to write it. Default: standard output.")
    var output: String?
    @Option(help: "The client's module, as an import in the file names it.")
    var client = TypeScriptGenerator.clientModule
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let source = TypeScriptGenerator.source(for: try SchemaFile.read(schema), importing: client)
            try GeneratedText(source).write(to: output, isReported: !common.json)
        }
    }
}

struct GenerateDatasetteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "datasette", abstract: "Write metadata for Datasette that hides Roost's own tables.",
        discussion: """
            EXAMPLE
              roost generate datasette trip.roost --output metadata.json
              datasette trip.roost --metadata metadata.json
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Option(help: "Where to write it. Default: standard output.")
    var output: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            let text = OtherProgramFiles.datasette(
                replica.schema, database: URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent,
                hiding: replica.internalTables)
            try GeneratedText(text).write(to: output, isReported: !common.json)
        }
    }
}

struct GenerateAlembicCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alembic", abstract: "Write a filter for Alembic that leaves out Roost's tables.",
        discussion: """
            EXAMPLE
              roost generate alembic trip.roost --output roost_names.py
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Option(help: "Where to write it. Default: standard output.")
    var output: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let text = OtherProgramFiles.alembic(try Replica(opening: file).schema)
            try GeneratedText(text).write(to: output, isReported: !common.json)
        }
    }
}
