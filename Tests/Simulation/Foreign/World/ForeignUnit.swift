internal import RoostModel

/// One statement of the foreign writer.
struct ForeignStatement: Hashable, Sendable {
    /// The conflict clause, which decides about a statement's earlier rows when it fails.
    enum Clause: String, Hashable, Sendable, CaseIterable {
        case replace, ignore, fail, abort, rollback

        /// The clause in SQL.
        var sql: String { "OR \(rawValue.uppercased())" }
        /// Whether a failing statement leaves none of its effects.
        var leavesNothing: Bool { self == .abort || self == .rollback }
    }

    var sql: String
    /// The operation's name in the counts, under that of its kind.
    var name: String
    /// The tables whose rows the statement itself may delete. Rows of other tables may become hidden by a delete rule.
    var deletesFrom: Set<EntityID> = []
    var clause = Clause.abort
    /// Whether the statement may take another row's rowid. SQLite fires no trigger for that row.
    var mayEvictByRowid = false
    /// Whether SQLite may refuse to prepare the statement, such as DDL about an object that does not exist.
    var mayBeInvalid = false
    /// An incremental blob write instead of SQL.
    var blob: BlobWrite?

    struct BlobWrite: Hashable, Sendable {
        var table: String
        var column: String
        var rowid: Int64
        var bytes: [UInt8]
        var offset: Int32
    }
}

/// Statements that the foreign writer commits together.
struct ForeignUnit: Hashable, Sendable {
    enum Frame: Hashable, Sendable {
        /// A single statement that commits by itself.
        case alone
        /// BEGIN … COMMIT. After an error the program continues with the next statement, or rolls the transaction back.
        case transaction(continuesAfterError: Bool)
        /// All programs are closed first: this is the only connection to the file.
        case offline
    }

    var frame = Frame.alone
    var statements: [ForeignStatement]
    /// Statements about the connection, such as PRAGMAs, which run outside of the transaction.
    var before: [String] = []
    var after: [String] = []
    /// The kind that drew the unit.
    var kind = ForeignKind.statements
}
