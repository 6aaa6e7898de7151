public import Replica
public import RoostModel

/// The kind of a store of a coordinator. An application that only uses its coordinator works alike with each kind.
public enum StoreKind: Sendable {
    /// A replica: an SQLite file that is tracked and synchronised.
    case replica(Replica)
    /// Records in memory, which end with the coordinator: for tests, previews, and temporary data.
    case inMemory(Schema)
    /// A file that is read in full when the coordinator is made, and replaced by each save. The first save makes a missing file.
    /// An existing file keeps its own format, whatever format is given.
    ///
    /// A file of an earlier version of the schema is migrated by the plan when it is read, and the next save writes it in the
    /// plan's last version. Content that this version has no place for is lost then. A file of a later version stays as it is.
    case document(at: String, migrating: MigrationPlan, DocumentFormat)

    /// Makes the kind of a document of one schema. A document of an earlier version is migrated, as far as the schemas determine
    /// the migration.
    public static func document(at path: String, _ schema: Schema, _ format: DocumentFormat) -> StoreKind {
        .document(at: path, migrating: MigrationPlan(to: schema), format)
    }
}
