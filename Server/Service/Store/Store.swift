/// The storage of a server's scopes.
///
/// A store decides nothing: it stores rows, finds them, and makes a group of writes atomic. All arguments and results are
/// values. Every store passes the suite `StoreContract`.
package protocol Store: Sendable {
    /// Runs `body` in one exclusive transaction, and makes its writes durable before returning.
    ///
    /// - Throws: Errors of `body`, or ``StoreError``. Nothing of the transaction is stored then.
    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result

    /// Runs `body` on one consistent state, concurrently with writers and other readers.
    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result
}

/// The reason why a store could not do its work.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The disk is full.
    case full
    /// The disk or the file system failed. The payload is the store's own reason, for the log.
    case failing(String)
    /// Another program holds the file for longer than the store waits.
    case busy
    /// The file is missing, or contains no database.
    case missing(String)
    /// The stored data is corrupt.
    case damaged(String)
    /// The transaction has grown so large that a part of it cannot be rolled back. The whole transaction can be.
    case cannotUndo
    /// The data was written by a newer version of the server.
    case newerFormat(found: Int, known: Int)
    /// The data does not belong to a server.
    case foreignFile(String)

    package var description: String {
        switch self {
        case .full: "Cannot store anything: the disk is full. Make room and try again."
        case .failing(let reason): "Cannot use the store: \(reason). Check the disk."
        case .busy: "Another program holds the database. Let it finish and try again."
        case .missing(let path):
            "\"\(path)\" is not there, or it holds no database. Put a backup in its place with \"roost-server restore\", or begin "
                + "without data with \"roost-server init\"."
        case .damaged(let reason): "The store is damaged: \(reason). Restore a backup."
        case .cannotUndo: "Cannot take back a part of a large transaction. Take back all, and do its parts singly."
        case .newerFormat(let found, let known):
            "Cannot open the data: its format is \(found), this server knows up to \(known). Use a newer roost-server."
        case .foreignFile(let path):
            "Cannot open \"\(path)\": it is not the data of a roost-server. Choose another folder."
        }
    }
}
