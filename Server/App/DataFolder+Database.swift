internal import Foundation
internal import RoostService
internal import SQLiteStore

extension DataFolder {
    /// Opens the folder to serve it. A new folder gets its database before its token.
    ///
    /// - Throws: ``DataFolderError`` for a folder that has a token and no database: a new database would have none of its
    ///   devices.
    static func toServe(_ given: String) throws(DataFolderError) -> DataFolder {
        try DataFolder(given) { path, isNew throws(DataFolderError) in
            if isNew { return try makeDatabase(path) }
            guard FileManager.default.fileExists(atPath: path) else { throw dataIsMissing(given) }
            // SQLite reports only that it cannot open the file, or that the disk refuses.
            let file = open(path, O_RDWR | O_CLOEXEC)
            guard file >= 0 else {
                throw DataFolderError("Cannot write \"\(path)\": \(String(cString: strerror(errno))).")
            }
            close(file)
        }
    }

    /// Makes the error for a folder whose database is missing or empty: an interrupted copy, or a volume that is not
    /// mounted.
    static func dataIsMissing(_ given: String) -> DataFolderError {
        DataFolderError(
            "Cannot serve \"\(given)\": it has an admin token and no database, so its data is missing. Mount the volume that "
                + "holds it, put a backup in its place with \"roost-server restore\", or begin without data with "
                + "\"roost-server init\".")
    }

    /// Opens the folder and gives it an empty database. An existing token stays.
    ///
    /// - Throws: ``DataFolderError`` if there is a database, or a file that is not a server's.
    static func initialised(_ given: String) throws(DataFolderError) -> DataFolder {
        try DataFolder(given) { path, _ throws(DataFolderError) in
            do {
                try SQLiteStore(path: path, readers: 1, whereNone: .refuse, waiting: .ofCommand).close()
            } catch StoreError.missing {
                return try makeDatabase(path)
            } catch StoreError.busy {
                throw DataFolderError("Cannot begin in \"\(given)\". \(StoreError.busy)", .temporary)
            } catch {
                throw DataFolderError(
                    "Cannot begin in \"\(given)\": it has a database that cannot be used. \(error) To begin without data, move "
                        + "\"\(path)\" away.")
            }
            throw DataFolderError(
                "Cannot begin in \"\(given)\": it has a database. Serve it, or name another folder with --data.")
        }
    }

    private static func makeDatabase(_ path: String) throws(DataFolderError) {
        do {
            // The log may contain all data of the lost file. SQLite would delete it.
            if !EarlierData.hasBytes(path), let kept = try EarlierData.setAside(path, waiting: .ofCommand) {
                Console.note("kept what was there as \(kept)")
            }
            try SQLiteStore(path: path, readers: 1, waiting: .ofCommand).close()
        } catch let error as FolderEntry.Failure {
            throw DataFolderError("Cannot make \"\(path)\": \(error.reason).")
        } catch {
            throw DataFolderError("Cannot make \"\(path)\". \(error)", (error as? StoreError)?.status ?? .ioError)
        }
    }
}
