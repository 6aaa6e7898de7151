// The names that code blocks of the documentation use and do not declare. scripts/packages compiles each block inside `block`, in
// the isolation of a program's main file.
import Foundation
import Roost

/// The schema that Docs/migrations.md migrates to.
nonisolated enum LibrarySchema: SchemaSource {
    static let version = SpendingsSchema.version
    static let text = SpendingsSchema.text
    static var classes: [ManagedObject.Type] { SpendingsSchema.classes }
}

/// The fields of an entity that a comment refers to.
nonisolated struct PersonFields: EntityFields {
    let path: String
}

/// The fields of another entity that a comment refers to.
nonisolated struct TagFields: EntityFields {
    let path: String
}

@MainActor func block(
    path: String, schema: Schema, classes: [ManagedObject.Type], second: String, third: String, replica: Replica,
    lisbon: Replica, corse: Replica, server: String, adminToken: String, token: String, link: String,
    coordinator: StoreCoordinator, container: ObjectContainer, names: [String], context: ObjectContext,
    other: ObjectContext, ana: Person, bob: Person,
    stranger: Person, dinner: Spending, request: FetchRequest<Spending>, all: FetchRequest<Spending>,
    small: FetchRequest<Spending>, payer: Person?, words: String?, limit: Int,
    results: FetchedResultsController<Spending>, session: LiveSession,
    show: @escaping (ResultsUpdate<ObjectID>) -> Void
) async throws {
    // The block.
}
