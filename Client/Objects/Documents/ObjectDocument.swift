public import Replica
public import RoostModel

/// A document: one file that is opened, edited through a context, and saved as a whole.
///
/// It belongs to the isolation that makes it, as its context does. The file is replaced with each save, so that the old or the new
/// one is there whatever happens; where another program changed it meanwhile, the save says so and writes nothing.
public final class ObjectDocument {
    /// The schema that documents of this kind have.
    public let schema: Schema
    /// What is edited. Reverting makes another one: objects of the one before are no longer of use.
    public private(set) var context: ObjectContext
    /// Why the last ``autosave()`` saved nothing; `nil` where it did.
    public private(set) var autosaveFailure: (any Error)?
    private let classes: [ManagedObject.Type]
    private let plan: MigrationPlan
    private var backend: DocumentBackend

    /// Begins a document that is not in a file yet: ``save(as:_:)`` gives it one.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown` where a class has no entity.
    public convenience init(_ schema: Schema, classes: [ManagedObject.Type] = []) throws {
        let plan = MigrationPlan(to: schema)
        try self.init(try DocumentBackend(plan, at: nil, .binary), plan, classes)
    }

    /// Opens a document, in whichever format it is.
    ///
    /// One of an earlier version of the schema is migrated as far as that follows from the schemas; the file stays as it is until
    /// it is saved.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown` where there is no such file, `store` where it is damaged, of another
    ///   schema, of a later version, or of one that `schema` cannot follow.
    public convenience init(opening path: String, _ schema: Schema, classes: [ManagedObject.Type] = []) throws {
        try self.init(opening: path, migrating: MigrationPlan(to: schema), classes: classes)
    }

    /// Opens a document by a plan, in whichever format it is; as ``init(opening:_:classes:)``.
    public convenience init(
        opening path: String, migrating plan: MigrationPlan, classes: [ManagedObject.Type] = []
    ) throws {
        try self.init(try Self.existing(path, plan), plan, classes)
    }

    private init(_ backend: DocumentBackend, _ plan: MigrationPlan, _ classes: [ManagedObject.Type]) throws {
        schema = plan.schema
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

    /// Where the document lies; `nil` before it was saved.
    public var path: String? { backend.location?.path }
    /// How it lies there; `nil` before it was saved.
    public var format: DocumentFormat? { backend.location?.format }
    /// Whether there is anything to save.
    public var isEdited: Bool { context.hasChanges || backend.isAhead }

    /// Writes the document to its file.
    ///
    /// - Throws: ``ObjectError``: `invalidRequest` where it has no file yet; `conflict` where another program changed the file;
    ///   and as ``ObjectContext/save(_:)``. The file is as it was, and nothing of the edits is lost.
    @discardableResult
    public func save(_ label: String = "save") throws -> SaveReport {
        guard backend.location != nil else {
            throw ObjectError(.invalidRequest, "Cannot save the document: it has no file yet. Save it under a name.")
        }
        if !context.hasChanges, backend.isAhead { try backend.writeFile() }
        return try context.save(label)
    }

    /// Writes the document to another file, where it lies from now on; a file that is there is replaced. The one it had stays as it
    /// was saved last.
    ///
    /// - Throws: ``ObjectError`` as ``save(_:)``; the document lies where it lay.
    public func save(as path: String, _ format: DocumentFormat) throws {
        // The edits go into the new file, not into the old one.
        _ = try backend.withoutFile { try context.save("save") }
        try backend.move(to: path, format)
    }

    /// Saves in place where there is something to save, the document has a file, and its objects are fit to be saved. Call it as often
    /// as you like; where it cannot save, the edits stay unsaved.
    ///
    /// - Returns: Whether it saved; ``autosaveFailure`` says why not.
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

    /// Gives up all edits, and reads the file again.
    ///
    /// - Throws: ``ObjectError``: `invalidRequest` where it has no file, and as ``init(opening:_:classes:)``; the document is as it
    ///   was then.
    public func revert() throws {
        guard let path else {
            throw ObjectError(
                .invalidRequest, "Cannot revert the document: it has no file yet. Undo its edits instead.")
        }
        let fresh = try Self.existing(path, plan)
        let coordinator = try StoreCoordinator(backends: [fresh], classes: classes)
        backend = fresh
        context = ObjectContext(coordinator)
    }
}
