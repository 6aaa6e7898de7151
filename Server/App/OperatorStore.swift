internal import Foundation
internal import RoostService
internal import SQLiteStore

/// The database of a folder, for a command of the operator that also works beside a running server.
enum OperatorStore {
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - action: Completes "Cannot …", and names the folder.
    /// - Throws: ``Failure`` where there is no database, or it cannot be used.
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
    /// The wait of a command, which says on standard error what it waits for.
    static let ofCommand = StoreWait(seconds: 30) { Console.note("roost-server: waiting for \($0)") }
}

extension StoreError {
    /// The status of a command that ends with this error, where it is no fault of a file given to the command.
    var status: Failure.Status { self == .busy ? .temporary : .ioError }
}
