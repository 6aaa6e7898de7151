internal import Dispatch
internal import GRDB
internal import Synchronization

/// Connections that read beside the writer, each for one reader at a time.
///
/// Opened with their first use and kept. GRDB's own pool looks for a changed schema and sets a savepoint before each read; that
/// is more work than to read the page of one change, and the tables here never change while the store is open.
final class SnapshotReaders: Sendable {
    private let path: String
    private let configuration: Configuration
    /// Connections that nobody uses; `nil` once closed.
    private let free = Mutex<[DatabaseQueue]?>([])
    /// Counts the readers that may still begin; the others wait.
    private let places: DispatchSemaphore
    private let count: Int

    /// - Parameters:
    ///   - count: Readers at once, 1 or more.
    init(path: String, configuration: Configuration, count: Int) {
        self.path = path
        var configuration = configuration
        configuration.readonly = true
        self.configuration = configuration
        self.count = count
        places = DispatchSemaphore(value: count)
    }

    /// Reads with one connection, after waiting for one to be free.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        places.wait()
        defer { places.signal() }
        let connection = try take()
        defer { free.withLock { $0?.append(connection) } }
        return try connection.unsafeRead(body)
    }

    /// Waits for those who read, and closes all connections; nothing can be read afterwards.
    func close() throws {
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
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the store is closed")
            }
            return free?.popLast()
        }
        return try kept ?? DatabaseQueue(path: path, configuration: configuration)
    }
}
