import ArgumentParser
import BenchmarkData
import Foundation
import Objects
import Replica

/// Holds all spendings of a replica in a process of its own, and prints the memory that one of them takes.
struct HoldCommand: AsyncParsableCommand {
    /// The form in which the spendings are held.
    enum Form: String, ExpressibleByArgument {
        case objects
        case structs
    }

    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Hold all spendings (used by the run itself).", shouldDisplay: false)

    @Option var replica: String
    @Option var form: Form

    func run() async throws {
        let file = try Replica(opening: replica, durability: .normal)
        let bytes =
            switch form {
            case .objects: try Self.objects(file)
            case .structs: try Self.structs(replica)
            }
        try file.close()
        print(bytes)
    }

    private static func objects(_ file: Replica) throws -> Double {
        let stores = try StoreCoordinator(file, classes: [PersonObject.self, SpendingObject.self])
        let context = ObjectContext(stores)
        let one = try context.fetch(FetchRequest<SpendingObject>(limit: 1))
        return try withExtendedLifetime(one) {
            try bytes { try context.fetch(FetchRequest<SpendingObject>()) }
        }
    }

    private static func structs(_ path: String) throws -> Double {
        let plain = try PlainRows(path)
        _ = try plain.firstScreen(1)
        return try bytes { try plain.all() }
    }

    /// Returns the bytes that each item of `read` adds to the process.
    private static func bytes<Item>(_ read: () throws -> [Item]) throws -> Double {
        let id = ProcessInfo.processInfo.processIdentifier
        let before = try ProcessUsage.residentBytes(id)
        let items = try read()
        return try withExtendedLifetime(items) {
            (try ProcessUsage.residentBytes(id) - before) / Double(max(1, items.count))
        }
    }

    /// Runs another process that holds the spendings.
    static func run(_ path: String, _ form: Form, _ context: Context) async throws -> Double {
        let child = try ChildProcess(context.program, ["hold", "--replica", path, "--form", form.rawValue])
        defer { child.stop() }
        guard let bytes = Double(try await child.line()) else {
            throw BenchmarkError("A process did not say how much memory objects take.")
        }
        return bytes
    }
}
