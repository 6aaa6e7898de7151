internal import Foundation
internal import SQLiteStore

extension DataFolder {
    /// Opens the folder to serve it: a new one gets its database before its token.
    ///
    /// - Throws: ``DataFolderError`` for a folder that has a token and no database: a new database would know none of its devices.
    static func toServe(_ given: String) throws(DataFolderError) -> DataFolder {
        try DataFolder(given) { path, isNew throws(DataFolderError) in
            if isNew { return try makeDatabase(path) }
            guard FileManager.default.fileExists(atPath: path) else {
                throw DataFolderError(
                    "Cannot serve \"\(given)\": it has an admin token and no database, so its data is missing. Mount the "
                        + "volume that holds it, put a backup in its place with \"roost-server restore\", or begin without "
                        + "data with \"roost-server init\".")
            }
            // SQLite says only that it cannot open the file, or that the disk refuses.
            let file = open(path, O_RDWR | O_CLOEXEC)
            guard file >= 0 else {
                throw DataFolderError("Cannot write \"\(path)\": \(String(cString: strerror(errno))).")
            }
            close(file)
        }
    }

    /// Opens the folder and gives it an empty database; the token stays if there is one.
    ///
    /// - Throws: ``DataFolderError`` where there is a database.
    static func initialised(_ given: String) throws(DataFolderError) -> DataFolder {
        try DataFolder(given) { path, _ throws(DataFolderError) in
            guard !FileManager.default.fileExists(atPath: path) else {
                throw DataFolderError(
                    "Cannot begin in \"\(given)\": it has a database. Serve it, or name another folder with --data.")
            }
            try makeDatabase(path)
        }
    }

    private static func makeDatabase(_ path: String) throws(DataFolderError) {
        do {
            try SQLiteStore(path: path, readers: 1).close()
        } catch {
            throw DataFolderError("Cannot make \"\(path)\". \(error)")
        }
    }
}
