internal import ArgumentParser
internal import Foundation
internal import Roost
internal import RoostModel
internal import SchemaGenerator
internal import Terminal

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Work with schema files.", subcommands: [SchemaCheckCommand.self])
}

struct SchemaCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a schema file: every error and warning, with its cure.",
        discussion: """
            EXAMPLE
              roost schema check schema.json
            """)

    @Argument(help: "The schema file.")
    var schema: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            do {
                let checked = try SchemaFile.read(schema)
                write(checked.warnings())
                if !common.json {
                    Console.write(
                        "\"\(schema)\" is a valid schema: \(checked.entities.count) entities, version \(checked.version)."
                    )
                }
            } catch let error as SchemaError {
                write(error.problems)
                throw ExitCode(ExitStatus.dataError.rawValue)
            }
        }
    }

    private func write(_ problems: [SchemaProblem]) {
        for problem in problems {
            if common.json {
                Console.write(
                    .members(
                        ("severity", .string(problem.severity.rawValue)),
                        ("entity", problem.entity.map { .string($0) }),
                        ("property", problem.property.map { .string($0) }), ("reason", .string(problem.reason)),
                        ("cure", .string(problem.cure))))
            } else {
                Console.write("\(problem.severity.rawValue): \(problem)")
            }
        }
    }
}

struct GenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Write typed Swift for a schema.",
        discussion: """
            EXAMPLE
              roost generate schema.json --output Sources/Model/Model.swift
            """)

    @Argument(help: "The schema file.")
    var schema: String
    @Option(help: "Where to write it. Default: standard output.")
    var output: String?
    @Option(help: "The declarations' access level: internal, package or public.")
    var access = "internal"
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            guard let level = AccessLevel(rawValue: access) else {
                throw RoostError(.invalidArgument, "--access is \"\(access)\", expected internal, package or public.")
            }
            let source = SwiftGenerator.source(for: try SchemaFile.read(schema), accessLevel: level)
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
