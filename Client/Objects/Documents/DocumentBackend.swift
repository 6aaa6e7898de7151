internal import GRDB
internal import Replica
internal import RoostMerge
internal import RoostModel
internal import Synchronization

/// A document as a store. The file is read in full when it is opened, held in memory while it is open, and written in full by
/// each save.
final class DocumentBackend {
    /// The document's file.
    private struct Place: Equatable {
        var path: String
        var format: DocumentFormat
        /// The state of the file when it was last read or written; `nil` where it did not exist.
        var mark: DocumentFile.Mark?
    }

    private struct State {
        /// `nil` where the document has no file yet.
        var place: Place?
        /// Whether memory holds something that the file does not: a migration, or saves of a document without a file.
        var isAhead = false
        /// Whether another backend has the document now.
        var isRetired = false
    }

    private let replica: MemoryReplica
    private let state: Mutex<State>

    var name: String { "the document\(location.map { " \"\($0.path)\"" } ?? "")" }
    var schema: Schema { replica.schema }
    /// `nil`, because no other program writes to memory. A save detects that another program changed the file.
    var path: String? { nil }
    var file: String? { location?.path }
    var writesWithFunctions: Bool { true }

    func observeRemoteChanges(_ changed: @escaping @Sendable () -> Void) -> RemoteChangeObservation? { nil }

    /// Opens the document at a path, or starts a new one, which the first save writes there. Without a path the document stays in
    /// memory until ``saving(to:_:_:)``.
    ///
    /// A document of an earlier version of the schema is migrated in memory. The next save writes it in the plan's last version,
    /// also where nothing else was changed. A document of a later version is opened and saved as it is.
    ///
    /// - Parameters:
    ///   - plan: A migration plan that ends with the document's current schema.
    ///   - format: The format of a new file; an existing file keeps its own.
    /// - Throws: ``ObjectError`` with the code `store` where the file is corrupt, has another schema, or has a version that the
    ///   plan cannot migrate.
    init(_ plan: MigrationPlan, at path: String?, _ format: DocumentFormat) throws {
        guard let path, let bytes = try DocumentFile.read(path) else {
            replica = try .ofObjects(plan.schema)
            state = Mutex(State(place: path.map { Place(path: $0, format: format, mark: nil) }))
            return
        }
        let mark = DocumentFile.mark(path)
        let contents = try Self.load(bytes, path, plan)
        replica = contents.replica
        state = Mutex(
            State(place: Place(path: path, format: contents.format, mark: mark), isAhead: contents.isMigrated))
    }

    private static func load(
        _ bytes: [UInt8], _ path: String, _ plan: MigrationPlan
    ) throws -> (replica: MemoryReplica, format: DocumentFormat, isMigrated: Bool) {
        func refusal(_ reason: String) -> ObjectError {
            ObjectError(.store, "Cannot open the document \"\(path)\": \(reason)")
        }
        let schema = plan.schema
        guard let format = DocumentFormat(of: bytes) else { throw refusal("it is no document. Check the name.") }
        do {
            let contents =
                switch format {
                case .binary: try BinaryDocument.decode(bytes)
                case .xml: try XMLDocument.decode(bytes)
                }
            guard contents.schema.name == schema.name else {
                throw ObjectError(
                    .store,
                    "its schema is \"\(contents.schema.name)\", and not \"\(schema.name)\". Open another file, or keep the name of the schema."
                )
            }
            let replica = try MemoryReplica.ofObjects(contents.schema)
            try replica.load(contents.records)
            guard contents.schema.version < schema.version else { return (replica, format, false) }
            return (try replica.migrated(by: plan), format, true)
        } catch let error as ObjectError {
            throw refusal(error.message)
        } catch let error as ReplicaError where error.code == .cannotMigrate {
            throw refusal(error.message)
        } catch let error as ReplicaError {
            throw refusal("a record does not fit its schema (\(error.message)) Take an older copy of it.")
        }
    }

    // MARK: Location

    /// The document's path and format; `nil` before it has a file.
    var location: (path: String, format: DocumentFormat)? {
        state.withLock { state in state.place.map { ($0.path, $0.format) } }
    }

    var hasUnwrittenChanges: Bool { state.withLock(\.isAhead) }

    /// Makes another file the document's file, and runs a closure whose save writes it. The previous file stays.
    ///
    /// - Throws: The error of `body`; the document keeps its previous file.
    func saving<Result>(to path: String, _ format: DocumentFormat, _ body: () throws -> Result) throws -> Result {
        let new = Place(path: path, format: format, mark: DocumentFile.mark(path))
        let former = state.withLock { state in
            // The save has to write the new file, also where nothing was changed since the last one.
            defer { (state.place, state.isAhead) = (new, true) }
            return state
        }
        do {
            return try body()
        } catch {
            state.withLock { state in
                // A context of another isolation may have saved to the new file in the meantime.
                state.isAhead = former.isAhead || state.place != new
                state.place = former.place
            }
            throw error
        }
    }

    /// Refuses all writes from now on, because another backend has the document.
    func retire() { state.withLock { $0.isRetired = true } }

    func writeUnwrittenChanges() throws {
        guard hasUnwrittenChanges, location != nil else { return }
        try checkNotRetired()
        try read("write a document") { try writeFile($0) }
    }

    private func checkNotRetired() throws {
        guard state.withLock(\.isRetired) else { return }
        throw ObjectError(
            .invalidRequest,
            "Cannot save \(name): it was reverted, and this context has its contents of before. Use the document's new context."
        )
    }

    private func encoded(_ database: Database, _ format: DocumentFormat) throws -> [UInt8] {
        let contents = DocumentContents(schema: schema, records: try replica.contents(database))
        return switch format {
        case .binary: BinaryDocument.encode(contents)
        case .xml: try XMLDocument.encode(contents)
        }
    }

    /// Writes the file before the transaction in memory commits, so that both take effect or neither does. Without a file the
    /// changes stay in memory.
    private func writeFile(_ database: Database) throws {
        guard let place = state.withLock(\.place) else {
            state.withLock { $0.isAhead = true }
            return
        }
        guard DocumentFile.mark(place.path) == place.mark else {
            throw ObjectError(
                .conflict,
                "Cannot save the document \"\(place.path)\": another program has changed, moved or removed the file since it was opened. Save it under another name, or revert to what is there."
            )
        }
        try DocumentFile.replace(place.path, with: try encoded(database, place.format))
        state.withLock { state in
            state.place?.mark = DocumentFile.mark(place.path)
            state.isAhead = false
        }
    }
}

extension DocumentBackend: StoreBackend {
    func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result {
        try ObjectError.naming(action, body) { try replica.read(action, $0) }
    }

    func write<Result>(_ label: String, _ body: (any StoreTransaction) throws -> Result) throws -> Result {
        try checkNotRetired()
        var refusal: ObjectError?
        do {
            return try ObjectError.naming(label, body) { body in
                try replica.write(label) { database in
                    do {
                        try writeFile(database)
                    } catch let error as ObjectError {
                        refusal = error
                        throw error
                    }
                } _: {
                    try body($0)
                }
            }
        } catch {
            throw refusal ?? error
        }
    }

    func liveness(of record: RecordKey) throws -> Liveness {
        try ObjectError.naming("explain a record", replica.liveness) { try $0(record) }
    }

    func hiddenRecords(_ database: Database) -> HiddenRecords { replica.hiddenRecords(database) }
}
