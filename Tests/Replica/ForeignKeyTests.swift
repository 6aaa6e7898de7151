import Foundation
import GRDB
import RoostModel
import Testing

@testable import Replica

/// Foreign keys that other programs declare in tables of their own.
@Suite struct ForeignKeyTests {
    private static let schema = """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}]}]}
        """

    /// `SQLITE_DEFAULT_FOREIGN_KEYS` builds of SQLite have foreign keys on in each new connection, as GRDB makes them here.
    @Test(arguments: [ReplicaFile.Connection.local, .engine])
    func theyAreOffWhateverSQLiteHasByDefault(_ connection: ReplicaFile.Connection) throws {
        let file = try TemporaryReplica(Self.schema)
        var configuration = ReplicaFile.configuration(connection, .normal, FileWait(file.path))
        configuration.foreignKeysEnabled = true
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? queue.close() }
        #expect(try queue.read { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") } == 0)
    }
}
