internal import Foundation
internal import GRDB
internal import RoostModel

/// The kind of a file that is not a replica, with advice for its owner.
enum OtherFile {
    /// A database without tables.
    case empty
    /// A database with some of Roost's tables.
    case partOfReplica
    /// A database with tables of other programs only.
    case otherTables
    /// SQL text, as the shell's `.dump` writes it.
    case dump

    init(_ database: Database) throws {
        let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
        self =
            tables.isEmpty
            ? .empty : tables.contains { SQLName.folded($0).begins(with: "roost_") } ? .partOfReplica : .otherTables
    }

    /// Recognises SQL text by its first bytes.
    ///
    /// - Returns: `nil` for a file that is neither a database nor a dump.
    init?(textAt path: String) {
        guard FileNumber.isFile(path) == true, let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        let start = String(decoding: (try? file.read(upToCount: 64)) ?? Data(), as: UTF8.self)
        guard start.begins(with: "PRAGMA foreign_keys") || start.begins(with: "BEGIN TRANSACTION") else { return nil }
        self = .dump
    }

    /// A sentence that names the kind of the file, and the commands to continue with.
    var words: String {
        switch self {
        case .empty:
            "it is an SQLite file without tables. Remove it, and make a replica with \"roost init\" or \"roost join\"."
        case .partOfReplica:
            "it holds a part of a replica only: some of Roost's tables are missing, as in a copy by .dump of which a statement failed. "
                + Self.copying
        case .otherTables:
            "it is an SQLite file, but not a replica: Roost's own tables are missing. Check the name. If it is a copy of a replica's "
                + "tables, as .dump makes: \(Self.copying)"
        case .dump:
            "it is SQL text, as .dump writes it. Load it into a new file with \"sqlite3 NEW.roost < DUMP\", and use that."
        }
    }

    private static let copying =
        "Copy the whole file instead, with: sqlite3 ORIGINAL \"VACUUM INTO 'COPY'\". Where there is no original any more, make a new "
        + "replica with \"roost join\" or \"roost init\" and copy the rows into it, with: sqlite3 NEW \"ATTACH 'COPY' AS old; "
        + "INSERT INTO person(id, name) SELECT id, name FROM old.person\"."
}
