internal import GRDB
internal import RoostModel

/// Several values of a replica's state as they were at one moment, read by one statement.
struct StateSnapshot: StateReading {
    /// The names of values that are read together.
    struct Names: Sendable {
        private let names: [StateStore.Name]
        fileprivate let sql: String

        /// - Parameter condition: An SQL expression. Nothing is read unless it is true.
        init(_ names: [StateStore.Name], where condition: String? = nil) {
            self.names = names
            let columns = names.map { name in
                name.column?.name ?? "(SELECT value FROM roost_state WHERE name = \(SQLName.literal(name.rawValue)))"
            }
            sql =
                "SELECT \(columns.joined(separator: ", ")) FROM roost_control WHERE one = 1\(condition.map { " AND (\($0))" } ?? "")"
        }

        fileprivate var count: Int { names.count }

        fileprivate func place(of name: StateStore.Name) -> Int? { names.firstIndex(of: name) }
    }

    private let names: Names
    /// The values as bytes, to which SQLite converts every storage class: a flipped bit can turn a blob into text.
    private let values: [[UInt8]?]

    private init(_ names: Names, _ values: [[UInt8]?]) {
        self.names = names
        self.values = values
    }

    /// - Throws: ``ReplicaError/Code/corrupt`` where `roost_control` has lost its row.
    init(_ names: Names, in database: Database) throws {
        guard let read = try Self.ifTrue(names, in: database) else { throw Self.rowIsLost }
        self = read
    }

    /// - Returns: `nil` where the condition of the names is not true, or `roost_control` has lost its row.
    static func ifTrue(_ names: Names, in database: Database) throws -> StateSnapshot? {
        try database.query(names.sql).first { row in
            StateSnapshot(names, (0..<Int32(names.count)).map { row.optionalBytes($0) })
        }
    }

    static let rowIsLost = ReplicaError(
        .corrupt,
        "Cannot read where the replica stands: the table \"roost_control\" has lost its row. Run \"roost repair\" on it."
    )

    func text(_ name: StateStore.Name) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }
    func integer(_ name: StateStore.Name) -> Int64? { text(name).map { Int64($0) ?? 0 } }

    func bytes(_ name: StateStore.Name) -> [UInt8]? {
        guard let place = names.place(of: name) else {
            preconditionFailure("\(name) is not among the values that were read")
        }
        return values[place]
    }
}
