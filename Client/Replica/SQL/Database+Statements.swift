internal import CSQLite
package import GRDB

extension Database {
    /// Runs one statement. Text after the statement is refused before anything runs, so that a name or default that escaped its
    /// quotes cannot add statements.
    ///
    /// `execute(sql:)` runs every statement of a text: it is for constant scripts only.
    package func executeOne(_ sql: String, arguments: StatementArguments = StatementArguments()) throws {
        try makeStatement(sql: sql).execute(arguments: arguments)
    }

    /// Runs statements one after another, each prepared by itself (``executeOne(_:arguments:)``).
    package func executeEach(_ statements: String...) throws {
        for statement in statements { try executeOne(statement) }
    }

    /// Runs the stored statement that created a table, index or trigger of another program.
    ///
    /// - Throws: `SQLITE_ERROR` where the text is not one statement that creates something. A maliciously made file may store any
    ///   text there.
    func makeAgain(_ creation: String) throws {
        guard SQLName.folded(creation).utf8.starts(with: "create ".utf8) else {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR, message: "the statement that made it does not create anything")
        }
        try executeOne(creation)
    }

    /// Prevents other database files from being attached to this connection.
    ///
    /// Statements built from schema text, and triggers of other programs, can then access the open file only. `VACUUM` needs an
    /// attachment and fails on such a connection.
    func refuseAttachments() {
        _ = sqlite3_limit(sqliteConnection, SQLITE_LIMIT_ATTACHED, 0)
    }
}
