internal import CSQLite
package import GRDB

extension Database {
    /// Runs one statement. Text with anything after it is refused before any of it runs, so that a name or a default that escaped its
    /// quotes cannot bring statements of its own.
    ///
    /// `execute(sql:)` runs every statement of a text: it is for constant scripts only.
    package func executeOne(_ sql: String, arguments: StatementArguments = StatementArguments()) throws {
        try makeStatement(sql: sql).execute(arguments: arguments)
    }

    /// Runs statements one after another, each prepared by itself (``executeOne(_:arguments:)``).
    package func executeEach(_ statements: String...) throws {
        for statement in statements { try executeOne(statement) }
    }

    /// Runs the statement that made a table, index or trigger of another program, as the file has it.
    ///
    /// - Throws: `SQLITE_ERROR` where the text is not one statement that creates something. A file that was made with that intent may
    ///   have anything there.
    func makeAgain(_ creation: String) throws {
        guard SQLName.folded(creation).utf8.starts(with: "create ".utf8) else {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR, message: "the statement that made it does not create anything")
        }
        try executeOne(creation)
    }

    /// Lets no other database file be attached to this connection.
    ///
    /// Statements made of schema text, and triggers of other programs, then reach the open file alone. `VACUUM` needs an attachment and
    /// fails on such a connection.
    func refuseAttachments() {
        _ = sqlite3_limit(sqliteConnection, SQLITE_LIMIT_ATTACHED, 0)
    }
}
