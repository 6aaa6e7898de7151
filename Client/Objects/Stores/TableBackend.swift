internal import GRDB
internal import Replica
internal import RoostModel

/// A store with the tables of a replica: the visible ones, and those that keep what is hidden.
protocol TableBackend: StoreBackend {}

extension TableBackend {
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
}
