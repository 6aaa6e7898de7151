public import Replica
public import RoostModel

/// A document: one file that is opened, edited through a context, and saved as a whole.
///
///     let document = try ObjectDocument(opening: path, schema)
///     try document.context.insert("Book").set("title", to: .string("Candide"))
///     try document.save()
///
/// A document belongs to the isolation that makes it, as its context does. Each save replaces the file atomically. Where another
/// program changed the file in the meantime, the save throws and writes nothing.
public final class ObjectDocument {
    /// The context through which the document is edited. ``revert()`` replaces it. The previous context and its objects are then
    /// obsolete, and its saves throw.
    public private(set) var context: ObjectContext
    /// The error of the last ``autosave()`` that tried to save; `nil` where it succeeded.
    public private(set) var autosaveFailure: (any Error)?
    private let classes: [ManagedObject.Type]
    private let plan: MigrationPlan
    private var backend: DocumentBackend

    /// Makes a document without a file; ``save(as:_:)`` gives it one.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown` where the schema has no entity for a class.
    public convenience init(_ schema: Schema, classes: [ManagedObject.Type] = []) throws {
        let plan = MigrationPlan(to: schema)
        try self.init(try DocumentBackend(plan, at: nil, .binary), plan, classes)
    }

    /// Opens a document of either format.
    ///
    /// A document of an earlier version of the schema is migrated in memory, as far as the schemas determine the migration. It is
    /// edited then, and its file is unchanged until it is saved. A document of a later version is opened and saved as it is, where
    /// it has all that the classes have.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown` where the file does not exist; `store` where it is corrupt, has another
    ///   schema, or has a version that cannot be migrated to `schema`; `schemaMismatch` where it lacks something of the classes'.
    public convenience init(opening path: String, _ schema: Schema, classes: [ManagedObject.Type] = []) throws {
        try self.init(opening: path, migrating: MigrationPlan(to: schema), classes: classes)
    }

    /// Opens a document of either format, and migrates it by a plan; otherwise as ``init(opening:_:classes:)``.
    public convenience init(
        opening path: String, migrating plan: MigrationPlan, classes: [ManagedObject.Type] = []
    ) throws {
        try self.init(try Self.existing(path, plan), plan, classes)
    }

    private init(_ backend: DocumentBackend, _ plan: MigrationPlan, _ classes: [ManagedObject.Type]) throws {
        self.plan = plan
        self.backend = backend
        self.classes = classes
        context = ObjectContext(try StoreCoordinator(backends: [backend], classes: classes))
    }

    private static func existing(_ path: String, _ plan: MigrationPlan) throws -> DocumentBackend {
        guard DocumentFile.mark(path) != nil else {
            throw ObjectError(.unknown, "Cannot open the document \"\(path)\": there is no such file. Check the name.")
        }
        return try DocumentBackend(plan, at: path, .binary)
    }

    /// The version of the schema that the document follows.
    public var schema: Schema { backend.schema }
    /// The path of the document's file; `nil` before it was saved.
    public var path: String? { backend.location?.path }
    /// The format of the document's file; `nil` before it was saved.
    public var format: DocumentFormat? { backend.location?.format }
    /// Whether there is anything to save: ``ObjectContext/hasChanges`` of the context. That is also so where a document was migrated
    /// when it was opened, or its context has saved while it had no file.
    public var isEdited: Bool { context.hasChanges }

    /// Writes the document to its file.
    ///
    /// - Throws: ``ObjectError``: `invalidRequest` where the document has no file yet; `conflict` where another program changed
    ///   the file; otherwise as ``ObjectContext/save(_:)``. The file is unchanged, and no edit is lost.
    @discardableResult
    public func save(_ label: String = "save") throws -> SaveReport {
        guard backend.location != nil else {
            throw ObjectError(.invalidRequest, "Cannot save the document: it has no file yet. Save it under a name.")
        }
        return try context.save(label)
    }

    /// Writes the document to another file, which is its file from now on; an existing file is replaced. The previous file stays
    /// as it was last saved.
    ///
    /// - Throws: ``ObjectError`` as ``save(_:)``; the document keeps its previous file, and its edits are not saved.
    public func save(as path: String, _ format: DocumentFormat) throws {
        try backend.saving(to: path, format) { _ = try context.save("save") }
    }

    /// Saves in place if the document has unsaved changes and a file, and its objects are valid. It may be called at any time.
    /// Where it cannot save, the edits stay unsaved.
    ///
    /// - Returns: Whether it saved; ``autosaveFailure`` holds the reason if not.
    @discardableResult
    public func autosave() -> Bool {
        guard isEdited, backend.location != nil else { return false }
        do {
            try save("autosave")
            autosaveFailure = nil
            return true
        } catch {
            autosaveFailure = error
            return false
        }
    }

    /// Discards all edits, and reads the file again into a new context. The new context has the merge policy of the previous one,
    /// and an empty undo history of the same limit if there was one. Saves of the previous context throw from then on.
    ///
    /// - Throws: ``ObjectError``: `invalidRequest` where the document has no file; otherwise as ``init(opening:_:classes:)``. The
    ///   document is then unchanged.
    public func revert() throws {
        guard let path else {
            throw ObjectError(
                .invalidRequest, "Cannot revert the document: it has no file yet. Undo its edits instead.")
        }
        let fresh = try Self.existing(path, plan)
        let new = ObjectContext(try StoreCoordinator(backends: [fresh], classes: classes))
        new.mergePolicy = context.mergePolicy
        new.undoHistory = context.undoHistory.map { UndoHistory(limit: $0.limit) }
        backend.retire()
        (backend, context, autosaveFailure) = (fresh, new, nil)
    }
}
