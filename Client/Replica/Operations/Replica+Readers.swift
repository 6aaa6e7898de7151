package import GRDB
internal import RoostModel
package import RoostSQLite

extension Replica {
    /// Returns connections that read concurrently with writers, for the object layer. They are opened on first use.
    ///
    /// SQL of the file itself cannot call functions that `prepare` registers: the file may hold a crafted view or trigger.
    ///
    /// - Parameter prepare: Called with each connection when it is opened.
    package func readers(prepare: @escaping @Sendable (Database) throws -> Void) -> SnapshotReaders {
        var configuration = ReplicaFile.configuration(.local, .normal, FileWait(path))
        configuration.identifiers = identifiers
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            try prepare(database)
        }
        return SnapshotReaders(path: path, configuration: configuration, count: 4)
    }
}
