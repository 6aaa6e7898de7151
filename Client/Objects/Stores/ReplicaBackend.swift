internal import GRDB
internal import Predicates
internal import Replica
internal import RoostMerge
internal import RoostModel
internal import RoostSQLite

/// A replica as a store, whose saves are tracked and synchronised.
final class ReplicaBackend {
    let replica: Replica
    private let readers: SnapshotReaders

    var name: String { "the replica \"\(replica.path)\"" }
    var schema: Schema { replica.schema }

    init(_ replica: Replica) {
        self.replica = replica
        let identifiers = replica.identifiers
        readers = replica.readers { PredicateFunctions.register(in: $0, identifiers) }
    }

    var path: String? { replica.path }
    // Triggers of a crafted file run on the connection that writes, and must not reach the functions.
    var writesWithFunctions: Bool { false }

    func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result {
        try ObjectError.naming(action, body) { body in
            try replica.verifyingLayout {
                try readers.read { database in
                    try database.inOneTransaction(.deferred) { database in
                        try replica.checkTables(database)
                        return try body(database)
                    }
                }
            }
        }
    }

    func write<Result>(_ label: String, _ body: (any StoreTransaction) throws -> Result) throws -> Result {
        try ObjectError.naming(label, body) { body in try replica.write(label) { try body($0) } }
    }

    func observeRemoteChanges(_ changed: @escaping @Sendable () -> Void) -> RemoteChangeObservation? {
        replica.observeRemoteChanges(changed)
    }

    func liveness(of record: RecordKey) throws -> Liveness {
        try ObjectError.naming("explain a record", replica.liveness) { try $0(record) }
    }

    func hiddenRecords(_ database: Database) -> HiddenRecords { replica.hiddenRecords(database) }
}

extension ReplicaBackend: StoreBackend {}
extension LocalTransaction: StoreTransaction {}
