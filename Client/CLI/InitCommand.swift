internal import ArgumentParser
internal import Foundation
internal import Replica
internal import Roost
internal import RoostModel
internal import Terminal

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a replica, and with --server the scope that it belongs to.",
        discussion: """
            Without --server the replica is local; run the same command with --server on it later, and what it holds goes \
            there with the next "roost sync".

            With --seed, a replica whose server has lost its data makes its scope there again, or on another server, and brings all \
            that it holds with the next "roost sync". The other devices join again with their files: roost join LINK FILE.

            EXAMPLES
              roost init trip.roost --schema schema.json
              roost init trip.roost --schema schema.json --identifiers text
              roost init trip.roost --schema schema.json \\
                --server https://roost.example --name "Lisbon" \\
                --admin-token-file admin-token
              roost init trip.roost --server https://roost.example
              roost init trip.roost --server https://new.example --seed \\
                --admin-token-file admin-token
            """)

    @Argument(help: "The replica file.")
    var file: String
    @Option(help: "The schema file of a new replica.")
    var schema: String?
    @OptionGroup var form: IdentifierOptions
    @Option(help: "The server that the scope is made on.")
    var server: String?
    @Option(help: "The scope's name. Default: the file's name.")
    var name: String?
    @Option(help: "This device's name. Default: the machine's.")
    var device: String?
    @Flag(help: "Make the replica's scope again on a server that has lost its data.")
    var seed = false
    @OptionGroup var admin: AdminTokenOptions
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            if seed { return try await makeAgain() }
            let isNew = !FileManager.default.fileExists(atPath: file)
            let replica = try isNew ? create() : existing()
            do {
                if let server {
                    try await replica.createScope(
                        named: name ?? defaultName, on: server, adminToken: try admin.token(),
                        device: device ?? defaultDeviceName())
                }
            } catch {
                if isNew { try? remove(replica) }
                throw error
            }
            try report(replica, isNew: isNew)
        }
    }

    private func makeAgain() async throws {
        guard let server else {
            throw RoostError(.invalidArgument, "Cannot make the scope again: name the server with --server.")
        }
        let replica = try Replica(opening: file)
        try await replica.seedScope(on: server, adminToken: try admin.token(), device: device)
        try report(replica, isNew: false)
    }

    private func create() throws -> Replica {
        guard let schema else {
            throw RoostError(
                .invalidArgument, "Cannot make \"\(file)\": a new replica needs a schema. Name it with --schema.")
        }
        return try Replica.create(
            at: file, schema: try SchemaFile.readNew(schema), identifiers: form.identifiers ?? .bytes)
    }

    private func existing() throws -> Replica {
        guard server != nil else {
            throw ReplicaError(
                .exists,
                "Cannot make a replica at \"\(file)\": there is a file already. Choose another name, or connect it with --server."
            )
        }
        let replica = try Replica(opening: file)
        try form.check(replica)
        return replica
    }

    private func remove(_ replica: Replica) throws {
        try replica.close()
        for suffix in ["", "-wal", "-shm", "-token"] { try? FileManager.default.removeItem(atPath: file + suffix) }
    }

    private var defaultName: String {
        URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
    }

    private func report(_ replica: Replica, isNew: Bool) throws {
        let membership = try replica.membership()
        if common.json {
            Console.write(
                .members(
                    ("replica", .string(file)), ("scope", membership.map { .string($0.scope.description) }),
                    ("scopeName", membership.map { .string($0.scopeName) })))
            return
        }
        if isNew { Console.write("Made the replica \"\(file)\".") }
        if let membership {
            Console.write(
                "It belongs to the scope \"\(Console.name(membership.scopeName))\" on \(membership.server); you own it."
            )
            Console.write("Next: roost sync \(ShellWord.quoted(file))   roost invite \(ShellWord.quoted(file))")
        } else {
            Console.write(
                "It is local for now. Connect it later with: roost init \(ShellWord.quoted(file)) --server URL")
        }
    }
}

/// Reads schema files.
enum SchemaFile {
    static func read(_ path: String) throws -> Schema { try Schema(json: text(path)) }

    static func text(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ReplicaError(.notFound, "Cannot read the schema: there is no file \"\(path)\". Check the name.")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads the schema of a new scope or replica, which must be within the limits of servers and replicas.
    static func readNew(_ path: String) throws -> Schema {
        let (schema, problems) = Schema.check(json: try text(path))
        guard let schema else { throw SchemaError(problems) }
        return schema
    }
}
