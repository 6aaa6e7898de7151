internal import GRDB
internal import Predicates
internal import Replica
internal import RoostMerge
internal import RoostModel

/// A store in memory, for tests and previews. It behaves like a replica that is never synchronised.
final class MemoryBackend {
    private let replica: MemoryReplica

    var name: String { "the store in memory" }
    var schema: Schema { replica.schema }
    var path: String? { nil }
    var writesWithFunctions: Bool { true }

    func observeRemoteChanges(_ changed: @escaping @Sendable () -> Void) -> RemoteChangeObservation? { nil }

    init(_ schema: Schema) throws { replica = try .ofObjects(schema) }

    func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result {
        try ObjectError.naming(action, body) { try replica.read(action, $0) }
    }

    func write<Result>(_ label: String, _ body: (any StoreTransaction) throws -> Result) throws -> Result {
        try ObjectError.naming(label, body) { body in try replica.write(label) { try body($0) } }
    }

    func liveness(of record: RecordKey) throws -> Liveness {
        try ObjectError.naming("explain a record", replica.liveness) { try $0(record) }
    }

    func hiddenRecords(_ database: Database) -> HiddenRecords { replica.hiddenRecords(database) }
}

extension MemoryBackend: StoreBackend {}

extension MemoryReplica {
    /// Makes a replica in memory that supports the SQL of predicates.
    ///
    /// - Throws: ``ObjectError`` with the code `store`.
    static func ofObjects(_ schema: Schema) throws -> MemoryReplica {
        do {
            return try MemoryReplica(schema) { PredicateFunctions.register(in: $0, .bytes) }
        } catch let error as ReplicaError {
            throw ObjectError(.store, error.message)
        }
    }
}
