internal import ArgumentParser
internal import Foundation
internal import RoostService
internal import SQLiteStore

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the data into one file, also while the server runs.",
        discussion: """
            The file holds everything as it was at one moment, and is checked before it gets its name. It holds the \
            server's secret too: keep it where only you can read it. The admin token is not in it.

            EXAMPLES
              roost-server backup --data /var/lib/roost --to /backup/roost-2026-11-21.sqlite

            EXIT STATUS
              0 done   64 wrong usage   74 the data cannot be read, or the file cannot be written or is there already
              75 another program holds the data
            """)

    @Option(help: "The folder that holds everything.")
    var data = "./roost-server-data"
    @Option(help: "The file to make; it must not be there yet.")
    var to: String

    func run() async throws {
        umask(0o077)
        try await Failure.reporting {
            guard !FileManager.default.fileExists(atPath: to) else {
                throw Failure("Cannot back up to \"\(to)\": it is there already. Name another file.", .ioError)
            }
            let partial = to + ".partial"
            do {
                // A part of an earlier, interrupted backup is obsolete.
                if FileManager.default.fileExists(atPath: partial) {
                    try FileManager.default.removeItem(atPath: partial)
                }
                try SQLiteBackup.copy(data + "/roost.sqlite", to: partial, waiting: .ofCommand)
                try FolderEntry.rename(partial, to: to)
            } catch let error as StoreError {
                throw Failure("Cannot back up \"\(data)\". \(error)", error.status)
            } catch let error as FolderEntry.Failure {
                throw Failure("Cannot back up to \"\(to)\": \(error.reason).", .ioError)
            }
            Console.write("backed up to \(to)")
        }
    }
}
