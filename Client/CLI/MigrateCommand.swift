internal import ArgumentParser
internal import Replica
internal import Roost
internal import RoostModel
internal import Terminal

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring a replica to a later version of its schema. Needs no network.",
        discussion: """
            Without a schema file it takes the scope's newest, which the last sync has fetched. All records are kept: what the later
            version does not know stays beside them. The file changes in one go, or not at all.

            EXAMPLES
              roost migrate trip.roost
              roost migrate trip.roost schema.json
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Argument(help: "The schema file of the later version.")
    var schema: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let before = try Replica(opening: file)
            let next = try schema.map { try SchemaFile.read($0) } ?? before.nextSchema()
            let version = before.schema.version
            try before.close()
            guard let next, next.version > version else {
                guard schema == nil || next?.version == version else {
                    throw ReplicaError(
                        .cannotMigrate,
                        "Cannot migrate \"\(file)\": its schema is version \(version) already, and versions only ascend."
                    )
                }
                return write(version, version)
            }
            try Replica.migrate(at: file, by: MigrationPlan(to: next))
            write(version, next.version)
        }
    }

    private func write(_ old: Int, _ new: Int) {
        if common.json {
            Console.write(.members(("from", .integer(old)), ("to", .integer(new))))
        } else if old == new {
            Console.write("There is nothing to migrate: the schema is version \(new), the newest that is known here.")
        } else {
            Console.write("Migrated from version \(old) of the schema to version \(new).")
        }
    }
}
