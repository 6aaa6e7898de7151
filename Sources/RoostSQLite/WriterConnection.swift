package import GRDB

/// A connection that writes and keeps its statements (``KeptStatements``).
///
/// However it ends, it lets go of them first: SQLite closes no connection that has statements, and its file stays open until some thread
/// lets go of them later.
package final class WriterConnection: Sendable {
    package let queue: DatabaseQueue

    /// - Parameters:
    ///   - path: As SQLite takes it; `nil` for a database in memory.
    ///   - configuration: What is kept beside the connection has its place in it already.
    package init(path: String?, configuration: Configuration) throws {
        var configuration = configuration
        KeptStatements.keep(in: &configuration)
        queue =
            if let path { try DatabaseQueue(path: path, configuration: configuration) } else {
                try DatabaseQueue(configuration: configuration)
            }
    }

    deinit { forgetStatements() }

    /// - Throws: `DatabaseError`; the connection is open then, and can be used.
    package func close() throws {
        forgetStatements()
        try queue.close()
    }

    private func forgetStatements() { queue.writeWithoutTransaction { KeptStatements.forget(on: $0) } }
}
