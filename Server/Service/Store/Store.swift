/// Where a server keeps its scopes.
///
/// A store decides nothing: it keeps rows, finds them again, and makes a group of writes one. Everything passed in and
/// out is a value. Every store passes the suite `StoreContract`.
package protocol Store: Sendable {
    /// Runs `body` in one transaction, alone, and makes what it wrote durable before returning.
    ///
    /// - Throws: What `body` throws, or ``StoreError``; nothing of it is stored then.
    func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result

    /// Runs `body` on one consistent state, beside writers and other readers.
    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result
}

/// Why a store could not do its work.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The disk is full.
    case full
    /// The disk or the file system failed; the reason is the store's own, for the log.
    case failing(String)
    /// Another program holds the file, for longer than the store waits.
    case busy
    /// The file is missing, or holds no database.
    case missing(String)
    /// What is stored is not what a store writes.
    case damaged(String)
    /// The transaction has grown so large that a part of it cannot be taken back; whole, it can.
    case cannotUndo
    /// The data was written by a newer version of the server.
    case newerFormat(found: Int, known: Int)
    /// The data is not a server's.
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
