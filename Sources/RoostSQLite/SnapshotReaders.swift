internal import Dispatch
package import GRDB
internal import Synchronization

/// Connections that read a database file concurrently with its writer, each for one reader at a time.
///
/// A connection is opened at its first use, read-only, and kept. GRDB's own pool writes to a file whose log is empty when
/// it is opened, and before each read it checks for a changed schema and sets a savepoint (decision 62). Safe to use from
/// any thread.
package final class SnapshotReaders: Sendable {
    private let path: String
    private let configuration: Configuration
    /// The idle connections; `nil` once closed.
    private let free = Mutex<[DatabaseQueue]?>([])
    /// The number of readers that may still start. Further readers wait.
    private let places: DispatchSemaphore
    private let count: Int

    /// Creates readers, without opening a connection.
    ///
    /// - Parameters:
    ///   - path: A file with a write-ahead log. Another connection of this process has to keep it open meanwhile.
    ///   - configuration: The configuration of the connections, which are made read-only.
    ///   - count: The number of concurrent readers, 1 or more.
    package init(path: String, configuration: Configuration, count: Int) {
        self.path = path
        var configuration = configuration
        configuration.readonly = true
        self.configuration = configuration
        self.count = count
        places = DispatchSemaphore(value: count)
    }

    /// Lends a connection, after waiting for one to be idle.
    ///
    /// - Parameter body: Starts a transaction by itself if all its reads have to see one snapshot.
    /// - Throws: Errors of `body`, and `DatabaseError` if no connection could be opened or all were closed.
    package func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        places.wait()
        defer { places.signal() }
        let connection = try take()
        defer { free.withLock { $0?.append(connection) } }
        return try connection.unsafeRead(body)
    }

    /// Waits for the readers to finish, and closes all connections. Later reads throw.
    package func close() throws {
        for _ in 0..<count { places.wait() }
        defer { for _ in 0..<count { places.signal() } }
        let connections = free.withLock { free in
            defer { free = nil }
            return free ?? []
        }
        for connection in connections { try connection.close() }
    }

    private func take() throws -> DatabaseQueue {
        let kept = try free.withLock { free in
            guard free != nil else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the file was closed")
            }
            return free?.popLast()
        }
        return try kept ?? DatabaseQueue(path: path, configuration: configuration)
    }
}
