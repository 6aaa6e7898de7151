package import GRDB

/// A connection that writes and keeps its prepared statements (``StatementCache``).
///
/// It releases the statements before it is closed or released: SQLite closes no connection that has statements, and the
/// file would stay open until some thread releases them.
package final class WriterConnection: Sendable {
    package let queue: DatabaseQueue

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - path: The path as SQLite takes it; `nil` for a database in memory.
    ///   - configuration: The configuration, in which every ``ConnectionSlot`` already has its value.
    package init(path: String?, configuration: Configuration) throws {
        var configuration = configuration
        StatementCache.keep(in: &configuration)
        queue =
            if let path { try DatabaseQueue(path: path, configuration: configuration) } else {
                try DatabaseQueue(configuration: configuration)
            }
    }

    deinit { forgetStatements() }

    /// Closes the connection.
    ///
    /// - Throws: `DatabaseError`. The connection then stays open and usable.
    package func close() throws {
        forgetStatements()
        try queue.close()
    }

    private func forgetStatements() { queue.writeWithoutTransaction { StatementCache.forget(on: $0) } }
}
