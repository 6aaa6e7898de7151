internal import ArgumentParser
internal import Roost
internal import RoostModel
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
