internal import Foundation
internal import RoostService
internal import SQLiteStore

/// The database, or its remains, that a command replaces.
enum EarlierData {
    /// Whether the file exists and is not empty.
    static func hasBytes(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? Int ?? 0) > 0
    }

    /// Renames a database and its log to a name with the current time. A log without its database is renamed as well:
    /// SQLite would apply it to the next database of that name.
    ///
    /// - Returns: The name; `nil` if there was nothing, or an empty file alone.
    /// - Throws: `FolderEntry.Failure`, and ``StoreError/busy``, with all files unchanged.
    static func setAside(_ path: String, waiting wait: StoreWait) throws -> String? {
        let files = FileManager.default
        let logs = ["-wal", "-journal"].filter { files.fileExists(atPath: path + $0) }
        guard hasBytes(path) || !logs.isEmpty else { return nil }
        let time = Date().formatted(
            .iso8601.year().month().day().timeSeparator(.omitted).time(includingFractionalSeconds: true))
        let kept = "\(path).before-\(time)"
        do {
            // A corrupt file keeps its log. An intact one needs none.
            try SQLiteBackup.settle(path, waiting: wait)
        } catch StoreError.busy {
            throw StoreError.busy
        } catch {}
        // The old file keeps its name until the new file has it, so that a file of that name always exists.
        let hasFile = hasBytes(path)
        if hasFile { try FolderEntry.link(path, to: kept) }
        let left = logs.filter { files.fileExists(atPath: path + $0) }
        for log in left { try FolderEntry.rename(path + log, to: kept + log) }
        try? files.removeItem(atPath: path + "-shm")
        return hasFile ? kept : left.first.map { kept + $0 }
    }
}
