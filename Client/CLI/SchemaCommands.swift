internal import ArgumentParser
internal import Replica
internal import Roost
internal import RoostModel
internal import SchemaGenerator
internal import Terminal

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Work with schema files.",
        subcommands: [SchemaCheckCommand.self, SchemaDiagramCommand.self, SchemaPublishCommand.self])
}

struct SchemaCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a schema file: every error and warning, with its cure.",
        discussion: """
            With --after, the file is compared with an earlier version of it: what may not follow is an error, and what surprises devices \
            of the earlier version is a warning, as is each rename. An entity or property that has the id of another one is renamed, with \
            the records of the other.

            EXAMPLES
              roost schema check schema.json
              roost schema check schema.json --after released.json
            """)

    @Argument(help: "The schema file.")
    var schema: String
    @Option(help: ArgumentHelp("An earlier version of the file.", valueName: "file"))
    var after: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let (checked, problems) = Schema.check(json: try SchemaFile.text(schema))
            write(problems)
            guard let checked else { throw ExitCode(ExitStatus.dataError.rawValue) }
            let changes = try after.map { checked.problems(after: try earlier($0)) } ?? []
            write(changes)
            if changes.contains(where: { $0.severity == .error }) { throw ExitCode(ExitStatus.dataError.rawValue) }
            if !common.json {
                Console.write(
                    "\"\(schema)\" is a valid schema: \(checked.entities.count) entities, version \(checked.version).")
            }
        }
    }

    /// Reads the earlier version, whose problems are not those of the file.
    private func earlier(_ path: String) throws -> Schema {
        do {
            return try SchemaFile.read(path)
        } catch let error as SchemaError {
            Console.note("roost: \"\(path)\" is not a valid schema itself")
            throw error
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

struct SchemaDiagramCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagram", abstract: "Draw a schema file: a diagram of Mermaid, which many programs show.",
        discussion: """
            GitHub, GitLab and many editors show the text as a picture, in a block of Markdown that begins with ```mermaid.

            EXAMPLE
              roost schema diagram schema.json --output schema.mermaid
            """)

    @Argument(help: "The schema file.")
    var schema: String
    @Option(help: "Where to write it. Default: standard output.")
    var output: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let diagram = SchemaDiagram.mermaid(try SchemaFile.read(schema))
            try GeneratedText(diagram).write(to: output, isReported: !common.json)
        }
    }
}

struct SchemaPublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Make a later version the one in force in a scope.",
        discussion: """
            Who joins from then on gets it. Devices that are there hear of it with their next sync, and go on with their version \
            until they are migrated (roost migrate); both understand each other.

            EXAMPLE
              roost schema publish trip.roost schema.json
            """)

    @Argument(help: "A replica file of an owner.")
    var file: String
    @Argument(help: "The schema file; its version is one more than the one in force.")
    var schema: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let published = try SchemaFile.read(schema)
            let replica = try Replica(opening: file)
            try check(published, after: try replica.nextSchema() ?? replica.schema)
            try await replica.scope.publish(published)
            common.json
                ? Console.write(.members(("version", .integer(published.version))))
                : Console.write("Version \(published.version) of the schema \"\(published.name)\" is in force.")
        }
    }

    /// Checks that a schema may follow the newest one that is known here, so that each problem has a line of its own. The server
    /// compares it with the one in force, and its message has one line.
    ///
    /// - Throws: ``SchemaError``.
    private func check(_ schema: Schema, after newest: Schema) throws {
        guard schema.version == newest.version + 1 else { return }
        let problems = schema.problems(asSuccessorOf: newest).filter { $0.severity == .error }
        guard problems.isEmpty else { throw SchemaError(problems) }
    }
}
