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
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure("Cannot \(action): it holds no database.", .ioError)
        }
        do {
            let store = try SQLiteStore(path: path, readers: 1)
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
            throw Failure("Cannot \(action). \(error)", .ioError)
        }
    }

    /// Milliseconds since 1970.
    static var now: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }
}
