internal import ArgumentParser
internal import Foundation
internal import Objects
internal import Replica
internal import Roost
internal import RoostModel

/// Which records of a replica a command is about.
struct SelectionOptions: ParsableArguments {
    @Argument(help: "The replica file.")
    var file: String
    @Argument(help: "The entity.")
    var entity: String
    @Option(
        name: .customLong("where"), parsing: .unconditional, help: "Only the records that this predicate is true of.")
    var format: String?
    @Option(
        name: .customLong("argument"), parsing: .unconditionalSingleValue,
        help: "What stands for the next %@ (a text), %d or %f (a number) or %K (a path) of the predicate; repeatable.")
    var arguments: [String] = []

    func validate() throws {
        guard arguments.isEmpty || format != nil else {
            throw ValidationError("--argument fills a predicate. Write one with --where.")
        }
    }

    func context() throws -> ObjectContext {
        ObjectContext(try StoreCoordinator(try Replica(opening: file)))
    }

    /// - Throws: ``RoostError`` with the code `invalidArgument` where the replica has no such entity.
    func entity(in context: ObjectContext) throws -> Entity {
        let schema = context.coordinator.model.schema
        if let known = schema.entity(named: entity) { return known }
        let names = schema.entities.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw RoostError(
            .invalidArgument, "There is no entity \"\(entity)\" in the schema \"\(schema.name)\". It has \(names).")
    }

    /// - Throws: ``FetchPredicateError`` for a predicate that cannot be read.
    func request() throws -> FetchRequest<ManagedObject> {
        FetchRequest(entity, where: try format.map { try FetchPredicate(format: $0, arguments: arguments) })
    }
}

extension [String] {
    /// Paths that were written with commas between them.
    init(paths list: String) {
        self = list.parts(at: ",", keepsEmpty: true).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }
}
