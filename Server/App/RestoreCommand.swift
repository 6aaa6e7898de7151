internal import ArgumentParser
internal import Foundation
internal import RoostProtocol
internal import RoostService
internal import SQLiteStore

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup in the place of the data; the server must not run.",
        discussion: """
            The file is copied and checked first; a file that is no good changes nothing. What was there is kept beside it. \
            Every scope begins a new history: devices notice, and for 30 days bring back what they have and the backup lacks.

            EXAMPLES
              roost-server restore --data /var/lib/roost --from /backup/roost-2026-11-21.sqlite

            EXIT STATUS
              0 done   64 wrong usage   65 the file is no backup of a roost-server, or is damaged
              74 the data cannot be used, or a server runs on it   75 another program holds the data
            """)

    @Option(help: "The folder that holds everything; made if it is not there.")
    var data = "./roost-server-data"
    @Option(help: "The file that \"roost-server backup\" made.")
    var from: String

    func run() async throws {
        umask(0o077)
        try await Failure.reporting {
            let folder: DataFolder
            do {
                folder = try DataFolder(data)
            } catch let error as DataFolderError {
                throw Failure(error.description, error.status)
            }
            let path = folder.databasePath
            let next = path + ".restoring"
            Self.remove(next)
            guard FileManager.default.fileExists(atPath: from) else {
                throw Failure("Cannot restore from \"\(from)\": there is no such file.", .ioError)
            }
            let scopes = try prepare(next, inPlaceOf: path)
            do {
                let kept = try EarlierData.setAside(path, waiting: .ofCommand)
                try FolderEntry.rename(next, to: path)
                Console.write("restored \(scopes) scopes from \(from)")
                if let kept { Console.write("kept what was there as \(kept)") }
            } catch let error as FolderEntry.Failure {
                Self.remove(next)
                throw Failure("Cannot restore into \"\(folder.path)\": \(error.reason).", .ioError)
            } catch let error as StoreError {
                Self.remove(next)
                throw Failure("Cannot restore into \"\(folder.path)\". \(error)", error.status)
            }
        }
    }

    /// Prepares the new file: copied, checked, in this version's format, with new histories.
    private func prepare(_ path: String, inPlaceOf old: String) throws -> Int {
        let clock = try clock(of: old)
        do {
            try SQLiteBackup.copy(from, to: path, waiting: .ofCommand)
            let store = try SQLiteStore(path: path, whereNone: .refuse)
            let handler = RecoveryHandler(
                limits: try ServerEnvironment.limits(ProcessInfo.processInfo.environment),
                random: RandomSource(SystemRandomNumberGenerator()))
            let now = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
            let scopes = try store.write { transaction in
                try SyncService.carryClock(from: clock, to: transaction)
                return try handler.beginAll(in: transaction, now: now)
            }
            try store.close()
            try SQLiteBackup.settle(path)
            return scopes
        } catch let error as StoreError {
            Self.remove(path)
            if case .missing = error {
                throw Failure(
                    "Cannot restore from \"\(from)\": it holds no database. Name a file of \"roost-server backup\".",
                    .dataError)
            }
            throw Failure("Cannot restore from \"\(from)\". \(error)", error.isOfTheFile ? .dataError : error.status)
        }
    }

    /// Reads the clock of the replaced data, as far as possible: devices have seen stamps up to its bound.
    ///
    /// - Throws: ``Failure`` if another program holds the data, whose clock would be lost.
    private func clock(of path: String) throws -> [UInt8]? {
        do {
            let store = try SQLiteStore(path: path, readers: 1, whereNone: .refuse, waiting: .ofCommand)
            defer { try? store.close() }
            return try store.read { try SyncService.storedClock(in: $0) }
        } catch StoreError.busy {
            throw Failure("Cannot restore into \"\(data)\". \(StoreError.busy)", .temporary)
        } catch {
            return nil
        }
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}

extension StoreError {
    /// Whether the given file is at fault, and not the disk.
    fileprivate var isOfTheFile: Bool {
        switch self {
        case .damaged, .newerFormat, .foreignFile, .missing: true
        case .full, .busy, .failing, .cannotUndo: false
        }
    }
}
