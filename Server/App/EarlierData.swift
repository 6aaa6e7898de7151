internal import Foundation
internal import RoostService
internal import SQLiteStore

/// The database, or what is left of it, that a command replaces.
enum EarlierData {
    /// Whether there is a file, and it is not empty.
    static func hasBytes(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? Int ?? 0) > 0
    }

    /// Gives a database and its log a name that says when they were replaced. A log without its database is kept as well: SQLite would
    /// apply it to the next database of that name.
    ///
    /// - Returns: The name; `nil` if nothing was there, or an empty file alone.
    /// - Throws: `FolderEntry.Failure`, and ``StoreError/busy``, with everything as it was.
    static func setAside(_ path: String, waiting wait: StoreWait) throws -> String? {
        let files = FileManager.default
        let logs = ["-wal", "-journal"].filter { files.fileExists(atPath: path + $0) }
        guard hasBytes(path) || !logs.isEmpty else { return nil }
        let time = Date().formatted(
            .iso8601.year().month().day().timeSeparator(.omitted).time(includingFractionalSeconds: true))
        let kept = "\(path).before-\(time)"
        do {
            // A file that is damaged keeps its log; one that is whole needs none.
            try SQLiteBackup.settle(path, waiting: wait)
        } catch StoreError.busy {
            throw StoreError.busy
        } catch {}
        // Until the new file has the name, the old one has it too: at no moment is there none.
        let hasFile = hasBytes(path)
        if hasFile { try FolderEntry.link(path, to: kept) }
        let left = logs.filter { files.fileExists(atPath: path + $0) }
        for log in left { try FolderEntry.rename(path + log, to: kept + log) }
        try? files.removeItem(atPath: path + "-shm")
        return hasFile ? kept : left.first.map { kept + $0 }
    }
}
