internal import Foundation
internal import RoostService
internal import SQLiteStore

/// The database of a folder, for an operator's command that also works while a server runs.
enum OperatorStore {
    /// Runs `body` on the folder's database.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - action: The end of a message that begins with "Cannot …", which names the folder.
    /// - Throws: ``Failure`` if there is no database, or it cannot be used.
    static func with<Result>(
        _ folder: String, _ action: String, _ body: (SQLiteStore) async throws -> Result
    ) async throws -> Result {
        let path = folder + "/roost.sqlite"
        do {
            let store = try SQLiteStore(path: path, readers: 1, whereNone: .refuse, waiting: .ofCommand)
            let result: Result
            do {
                result = try await body(store)
            } catch {
                // The first error is the one to report.
                try? store.close()
                throw error
            }
            try store.close()
            return result
        } catch let error as StoreError {
            throw Failure("Cannot \(action). \(error)", error.status)
        }
    }

    /// Milliseconds since 1970.
    static var now: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }
}

extension StoreWait {
    /// The wait of a command, which reports on standard error what it waits for.
    static let ofCommand = StoreWait(seconds: 30) { Console.note("roost-server: waiting for \($0)") }
}

extension StoreError {
    /// The exit status of a command that fails with this error, unless a file given to the command is at fault.
    var status: Failure.Status { self == .busy ? .temporary : .ioError }
}
