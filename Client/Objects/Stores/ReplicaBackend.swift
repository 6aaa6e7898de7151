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

    var path: String? { replica.path }

    func changeToken(in database: Database) throws -> StoreToken {
        // The stamps of one millisecond are alike: their sum tells an edit of another record. Only the low bits of each are added,
        // so that no number of records overflows it.
        let waiting = try database.query(
            """
            SELECT count(put_stamp), count(del_stamp), coalesce(max(put_stamp), 0), coalesce(max(del_stamp), 0),
              coalesce(sum(put_stamp & 0xFFFFFFFF), 0), coalesce(sum(del_stamp & 0xFFFFFFFF), 0) FROM roost_outbox
            """)
        let local = try waiting.first { row in (0..<6).map { row.integer($0) } } ?? []
        let pulled = try database.query("SELECT value FROM roost_state WHERE name = 'checkpoint'")
        let remote: [UInt8] =
            try pulled.first { row in
                if case .bytes(let bytes) = row.value(0, as: .data) { bytes } else { [] }
            } ?? []
        return StoreToken(local: local, remote: remote)
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
