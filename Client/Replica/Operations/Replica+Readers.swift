package import GRDB
package import RoostSQLite

extension Replica {
    /// Connections that read beside whoever writes, for the object layer; opened with their first use.
    ///
    /// Functions that `prepare` registers cannot be called from the file itself: a crafted view or trigger is not trusted on them.
    ///
    /// - Parameter prepare: Called with each connection when it is opened.
    package func readers(prepare: @escaping @Sendable (Database) throws -> Void) -> SnapshotReaders {
        var configuration = ReplicaFile.configuration(.local, .normal, FileWait(path))
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            try prepare(database)
        }
        return SnapshotReaders(path: path, configuration: configuration, count: 4)
    }
}
