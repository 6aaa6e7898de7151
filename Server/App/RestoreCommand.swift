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
              74 the data cannot be used, or a server runs on it
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
                throw Failure(error.description, .ioError)
            }
            let path = folder.databasePath
            let next = path + ".restoring"
            Self.remove(next)
            let scopes = try prepare(next, inPlaceOf: path)
            do {
                let kept = try Self.setAside(path)
                try FolderEntry.rename(next, to: path)
                Console.write("restored \(scopes) scopes from \(from)")
                if let kept { Console.write("kept what was there as \(kept)") }
            } catch let error as FolderEntry.Failure {
                Self.remove(next)
                throw Failure("Cannot restore into \"\(folder.path)\": \(error.reason).", .ioError)
            }
        }
    }

    /// Makes the file that is to be used: copied, checked, in this version's format, with new histories.
    private func prepare(_ path: String, inPlaceOf old: String) throws -> Int {
        let clock = Self.clock(of: old)
        do {
            try SQLiteBackup.copy(from, to: path)
            let store = try SQLiteStore(path: path)
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
            throw Failure("Cannot restore from \"\(from)\". \(error)", error.isOfTheFile ? .dataError : .ioError)
        }
    }

    /// The clock of the data that is replaced, as far as it can be read: devices have seen stamps up to its bound.
    private static func clock(of path: String) -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path), let store = try? SQLiteStore(path: path, readers: 1) else {
            return nil
        }
        defer { try? store.close() }
        return (try? store.read { try SyncService.storedClock(in: $0) }) ?? nil
    }

    /// Gives what is there a name that says when it was replaced.
    ///
    /// - Returns: The name; `nil` if nothing was there.
    private static func setAside(_ path: String) throws(FolderEntry.Failure) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let time = Date().formatted(
            .iso8601.year().month().day().timeSeparator(.omitted).time(includingFractionalSeconds: true))
        let kept = "\(path).before-\(time)"
        // A file that is damaged keeps its log; one that is whole needs none.
        try? SQLiteBackup.settle(path)
        // Until the new file has the name, the old one has it too: at no moment is there none.
        try FolderEntry.link(path, to: kept)
        if FileManager.default.fileExists(atPath: path + "-wal") {
            try FolderEntry.rename(path + "-wal", to: kept + "-wal")
        }
        try? FileManager.default.removeItem(atPath: path + "-shm")
        return kept
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}

extension StoreError {
    /// Whether the file given is at fault, and not the disk.
    fileprivate var isOfTheFile: Bool {
        switch self {
        case .damaged, .newerFormat, .foreignFile: true
        case .full, .failing, .cannotUndo: false
        }
    }
}
