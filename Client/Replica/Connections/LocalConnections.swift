internal import GRDB
internal import RoostModel
internal import RoostSQLite
internal import Synchronization

/// The connections for the user's own writes and reads. Each is opened by its first use: a program that only synchronises needs
/// none.
final class LocalConnections: Sendable {
    private enum Writer {
        case notOpen
        case open(WriterConnection)
        case closed
    }

    private let path: String
    private let configuration: Configuration
    private let writer = Mutex(Writer.notOpen)
    private let readers: SnapshotReaders

    /// - Parameters:
    ///   - path: The path of a file that another connection of this process has open.
    ///   - identifiers: The form of the file's identifiers.
    init(to path: String, _ identifiers: IdentifierForm, _ durability: Durability) {
        self.path = path
        var configuration = ReplicaFile.configuration(.local, durability, FileWait(path))
        configuration.identifiers = identifiers
        self.configuration = configuration
        readers = SnapshotReaders(path: path, configuration: configuration, count: 4)
    }

    /// Runs `body` in a write transaction.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try openWriter().writeWithoutTransaction { try $0.inOneTransaction(.immediate, body) }
    }

    /// Runs `body` on one snapshot, concurrently with writers.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try readers.read { try $0.inOneTransaction(.deferred, body) }
    }

    func close() throws {
        try writer.withLock { writer in
            if case .open(let connection) = writer { try connection.close() }
            writer = .closed
        }
        try readers.close()
    }

    private func openWriter() throws -> DatabaseQueue {
        try writer.withLock { writer in
            switch writer {
            case .open(let connection): return connection.queue
            case .closed: throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The replica was closed.")
            case .notOpen:
                let connection = try ReplicaFile.openWriter(path, configuration)
                writer = .open(connection)
                return connection.queue
            }
        }
    }
}
