internal import ArgumentParser
internal import Replica
internal import Roost
internal import RoostModel
internal import Terminal

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Bring a replica to a later version of its schema. Needs no network.",
        discussion: """
            Without a schema file it takes the scope's newest, which the last sync has fetched. All records are kept: what the later \
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
            if schema == nil, next == nil { try checkNoneIsUnread(before) }
            let (version, text) = (before.schema.version, before.schema.source)
            try before.close()
            guard let next, next.version > version else {
                try check(schema == nil ? nil : next, version, text)
                return write(version, version)
            }
            try Replica.migrate(at: file, by: MigrationPlan(to: next))
            write(version, next.version)
        }
    }

    /// Checks that the scope has no later schema that this program could not read.
    ///
    /// - Throws: ``ReplicaError/Code/cannotMigrate`` if there is one.
    private func checkNoneIsUnread(_ replica: Replica) throws {
        guard let version = try replica.status().nextSchemaVersion, version > replica.schema.version else { return }
        throw ReplicaError(
            .cannotMigrate,
            "Cannot migrate \"\(file)\": this Roost does not understand version \(version) of the scope's schema. Update Roost."
        )
    }

    /// Checks that a given schema which is not later than the file's is identical to it.
    ///
    /// - Throws: ``ReplicaError/Code/cannotMigrate`` if the two differ.
    private func check(_ next: Schema?, _ version: Int, _ text: String) throws {
        guard let next, try next.version != version || JSONParser.parse(next.source) != JSONParser.parse(text) else {
            return
        }
        let reason =
            next.version < version
            ? "its schema is version \(version) already, and versions only ascend"
            : "its schema is another version \(version). Give the one that is to follow the version \(version + 1)"
        throw ReplicaError(.cannotMigrate, "Cannot migrate \"\(file)\": \(reason).")
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
