import Foundation
import MemoryStore
import RoostService
import SQLiteStore

/// The stores that every test of this suite runs against.
enum StoreKind: String, CaseIterable, Sendable {
    case memory
    case sqlite

    /// Makes an empty store. The file of a SQLite store is in the system's temporary folder, and is removed with it.
    func make() throws -> any Store {
        switch self {
        case .memory: MemoryStore()
        case .sqlite: try SQLiteStore(path: TemporaryFile.path(), synchronous: .normal)
        }
    }
}

/// Paths of files that no other test uses.
enum TemporaryFile {
    static func path() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appending(path: "store.sqlite").path
    }
}
