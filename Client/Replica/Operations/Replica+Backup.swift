internal import CSQLite
internal import Foundation
internal import GRDB

extension Replica {
    /// Copies the file as it is now, with everything that is committed, while other programs and a session may use it.
    ///
    ///     try replica.backup(to: "trip-2026-11-30.roost")
    ///
    /// The copy is a replica without a token. It opens like any other; to synchronise it, join again with it
    /// (`Replica.rejoin(_:device:)`). A copy that replaces a lost file does the same.
    ///
    /// - Parameter copy: The path of the copy. Nothing may exist there.
    /// - Throws: ``ReplicaError``; no copy is left.
    public func backup(to copy: String) throws {
        guard !FileManager.default.fileExists(atPath: copy) else {
            throw ReplicaError(
                .exists,
                "Cannot copy the replica to \"\(copy)\": there is a file already. Choose another name, or move it away."
            )
        }
        try ReplicaFile.checkNoLog(at: copy)
        let action = "copy the replica \"\(path)\" to \"\(copy)\""
        // The name of a complete copy is given last: a copy that was interrupted is not taken for a replica.
        let unfinished = "\(copy)-copying-\(getpid())-\(UInt32.random(in: .min ... .max))"
        defer { for part in ["-journal", "-wal", "-shm", ""] { unlink(unfinished + part) } }
        guard FileManager.default.createFile(atPath: unfinished, contents: nil, attributes: [.posixPermissions: 0o600])
        else {
            throw ReplicaError(
                .notFound, "Cannot \(action): the folder is missing or not writable. Make it first.")
        }
        try withSecondConnection { source in
            do {
                let target = try DatabaseQueue(path: unfinished)
                defer { try? target.close() }
                try source.unsafeRead { source in try target.unsafeRead { try Self.copy(source, to: $0) } }
            } catch {
                throw ReplicaError(translating: error, action)
            }
        }
        guard link(unfinished, copy) == 0 || (errno != EEXIST && rename(unfinished, copy) == 0) else {
            throw ReplicaError(
                errno == EEXIST ? .exists : .diskFull,
                "Cannot \(action): \(String(cString: strerror(errno))). Choose another name, and try again.")
        }
    }

    /// Copies all pages of a database in one transaction of the target.
    private static func copy(_ source: Database, to target: Database) throws {
        guard let backup = sqlite3_backup_init(target.sqliteConnection, "main", source.sqliteConnection, "main") else {
            throw DatabaseError(resultCode: ResultCode(rawValue: sqlite3_errcode(target.sqliteConnection)))
        }
        let done = sqlite3_backup_step(backup, -1)
        let ended = sqlite3_backup_finish(backup)
        guard done == SQLITE_DONE, ended == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: done == SQLITE_DONE ? ended : done))
        }
    }
}
