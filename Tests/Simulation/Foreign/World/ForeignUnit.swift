internal import RoostModel

/// One statement of the foreign writer.
struct ForeignStatement: Hashable, Sendable {
    /// What the statement's own conflict clause leaves behind when it fails.
    enum Clause: String, Hashable, Sendable, CaseIterable {
        case replace, ignore, fail, abort, rollback

        /// As part of a statement.
        var sql: String { "OR \(rawValue.uppercased())" }
        /// Whether a failing statement leaves nothing of itself.
        var leavesNothing: Bool { self == .abort || self == .rollback }
    }

    var sql: String
    /// The operation's name in the counts, below the kind's.
    var name: String
    /// Tables whose rows the statement may delete by itself; a delete rule hides rows of others.
    var deletesFrom: Set<EntityID> = []
    var clause = Clause.abort
    /// Whether the statement may take another row's rowid, for which SQLite fires no trigger.
    var mayEvictByRowid = false
    /// Whether SQLite may refuse to prepare the statement, such as DDL about something that is not there.
    var mayBeInvalid = false
    /// An incremental blob write in place of SQL.
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
        /// Each statement commits by itself; there is only one.
        case alone
        /// BEGIN … COMMIT. After an error the program continues with the next statement, or gives the transaction up.
        case transaction(continuesAfterError: Bool)
        /// All closed before: the only connection to the file.
        case offline
    }

    var frame = Frame.alone
    var statements: [ForeignStatement]
    /// Statements about the connection that stand outside of the transaction, such as PRAGMAs.
    var before: [String] = []
    var after: [String] = []
    /// The kind that drew the unit.
    var kind = ForeignKind.statements
}
