internal import GRDB
internal import Replica
internal import RoostModel
internal import RoostSQLite

/// A replica as a store: what it saves is tracked and synchronised.
final class ReplicaBackend {
    let replica: Replica
    private let readers: SnapshotReaders

    var schema: Schema { replica.schema }

    init(_ replica: Replica) {
        self.replica = replica
        readers = replica.readers { ObjectFunctions.register(in: $0) }
    }

    func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result {
        do {
            return try readers.read { try $0.inOneTransaction(.deferred, body) }
        } catch let error as ObjectError {
            throw error
        } catch {
            throw ObjectError(.store, ReplicaError(translating: error, action).message)
        }
    }

    func write<Result>(_ label: String, _ body: (any StoreTransaction) throws -> Result) throws -> Result {
        // What the body throws is not a failure of the replica, and goes through as it is.
        var refusal: ObjectError?
        do {
            return try replica.write(label) { transaction in
                do {
                    return try body(transaction)
                } catch let error as ObjectError {
                    refusal = error
                    throw error
                }
            }
        } catch let error as ReplicaError {
            if let refusal { throw refusal }
            throw ObjectError(error.code == .denied ? .denied : .store, error.message)
        }
    }
}

extension ReplicaBackend: StoreBackend {}
extension LocalTransaction: StoreTransaction {}
