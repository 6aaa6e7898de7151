internal import ArgumentParser
internal import Foundation
internal import Objects
internal import Replica
internal import Roost
internal import RoostModel

/// The options that select the records of a replica for a command.
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

    /// Finds the entity.
    ///
    /// - Throws: ``RoostError`` with the code `invalidArgument` if the replica has no such entity.
    func entity(in context: ObjectContext) throws -> Entity {
        let schema = context.coordinator.model.schema
        if let known = schema.entity(named: entity) { return known }
        let names = schema.entities.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw RoostError(
            .invalidArgument, "There is no entity \"\(entity)\" in the schema \"\(schema.name)\". It has \(names).")
    }

    /// Makes the request for the selected records.
    ///
    /// - Throws: ``FetchPredicateError`` if the predicate cannot be parsed.
    func request() throws -> FetchRequest<ManagedObject> {
        FetchRequest(entity, where: try format.map { try FetchPredicate(format: $0, arguments: arguments) })
    }
}

extension [String] {
    /// Splits a list of paths at its commas.
    init(paths list: String) {
        self = list.parts(at: ",", keepsEmpty: true).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }
}
