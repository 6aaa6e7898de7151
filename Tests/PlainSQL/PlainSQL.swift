public import GRDB

/// Another program, which knows only SQL, on a replica that Roost's own connections have open too.
public struct PlainSQL {
    private let queue: DatabaseQueue

    public init(_ path: String) throws { queue = try DatabaseQueue(path: path, configuration: .waiting) }

    public func execute(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        try queue.write { try $0.execute(sql: sql, arguments: arguments) }
    }

    /// Runs what SQLite refuses inside a transaction.
    public func executeOutsideTransaction(_ sql: String) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    public func close() throws { try queue.close() }
}

extension Configuration {
    /// Waits while another connection writes. A connection without this fails at once, whenever it happens to meet one.
    public static var waiting: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        return configuration
    }
}
