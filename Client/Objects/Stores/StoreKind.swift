public import Replica
public import RoostModel

/// What a store of a coordinator is. An application that only knows its coordinator works alike with each.
public enum StoreKind: Sendable {
    /// A replica: an SQLite file that is tracked and synchronised.
    case replica(Replica)
    /// Records in memory, that end with the coordinator: for tests, previews, and what is not to be kept.
    case inMemory(Schema)
    /// A file that is read whole when the coordinator is made, and replaced with each save; made by the first save where there is
    /// none. A file that is there has its own format, whatever is said.
    ///
    /// A file of an earlier version of the schema is read by the plan, and written by its last version with the next save; what that
    /// has no place for goes then.
    case document(at: String, migrating: MigrationPlan, DocumentFormat)

    /// A document of one schema; one of an earlier version is migrated as far as that follows from the schemas.
    public static func document(at path: String, _ schema: Schema, _ format: DocumentFormat) -> StoreKind {
        .document(at: path, migrating: MigrationPlan(to: schema), format)
    }
}
