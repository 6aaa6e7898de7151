internal import Dispatch
package import GRDB
internal import Synchronization

/// Connections that read a database file beside its writer, each for one reader at a time.
///
/// Opened with their first use, read-only, and kept. GRDB's own pool writes to a file whose log is empty when it is opened, and
/// before each read it looks for a changed schema and sets a savepoint (decision 62). Safe to use from any thread.
package final class SnapshotReaders: Sendable {
    private let path: String
    private let configuration: Configuration
    /// Connections that nobody uses; `nil` once closed.
    private let free = Mutex<[DatabaseQueue]?>([])
    /// Counts the readers that may still begin; the others wait.
    private let places: DispatchSemaphore
    private let count: Int

    /// Opens nothing yet.
    ///
    /// - Parameters:
    ///   - path: A file with a write-ahead log that a connection of this process keeps open meanwhile.
    ///   - configuration: Of the connections; they are made read-only.
    ///   - count: Readers at once, 1 or more.
    package init(path: String, configuration: Configuration, count: Int) {
        self.path = path
        var configuration = configuration
        configuration.readonly = true
        self.configuration = configuration
        self.count = count
        places = DispatchSemaphore(value: count)
    }

    /// Lends a connection, after waiting for one to be free.
    ///
    /// - Parameter body: Begins a transaction by itself if all that it reads has to be of one snapshot.
    /// - Throws: What `body` throws, and `DatabaseError` where no connection could be opened or all were closed.
    package func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        places.wait()
        defer { places.signal() }
        let connection = try take()
        defer { free.withLock { $0?.append(connection) } }
        return try connection.unsafeRead(body)
    }

    /// Waits for those who read, and closes all connections; nothing can be read afterwards.
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
