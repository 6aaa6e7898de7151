import BenchmarkData
import Foundation
import Replica
import RoostModel

/// The context of every row: the amount of work, and a folder for it.
struct Context {
    /// Whether all amounts are reduced.
    let isQuick: Bool
    /// The new folder of this run.
    let folder: URL
    /// The server program.
    let server: URL
    /// This program.
    let program: URL
    /// Reports the run's progress to the user.
    let note: @Sendable (String) -> Void

    /// - Parameter server: The server program; by default the one in this program's folder.
    init(isQuick: Bool, folder: URL, server: String?) {
        self.isQuick = isQuick
        self.folder = folder
        program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        self.server =
            server.map { URL(fileURLWithPath: $0) }
            ?? program.deletingLastPathComponent().appending(path: "roost-server")
        note = RunCommand.note
    }

    /// - Parameters:
    ///   - full: The number of the documented table.
    ///   - quick: The number of a quick run.
    func amount(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }

    /// Returns an unused path for a file, in a folder of its own. A session watches its replica's folder, and writes of
    /// another device must not wake it.
    func freshPath(_ name: String) throws -> String {
        let own = folder.appending(path: "\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        return own.appending(path: name).path
    }

    /// Deletes the file of a fresh path with the files next to it. Files that cannot be deleted are removed with the run's
    /// folder.
    func remove(_ path: String) {
        try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent())
    }

    func makeReplica(_ path: String, _ durability: Durability) throws -> Replica {
        try Replica.create(at: path, schema: try Schema(json: Workload.schema), durability: durability)
    }
}
