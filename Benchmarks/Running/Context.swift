import BenchmarkData
import Foundation
import Replica
import RoostModel

/// What every row is given: how much work to do, and a folder to do it in.
struct Context {
    /// Whether to do less of everything.
    let isQuick: Bool
    /// A fresh folder of this run.
    let folder: URL
    /// The server program.
    let server: URL
    /// This program.
    let program: URL
    /// Tells a person how far the run is.
    let note: @Sendable (String) -> Void

    /// - Parameter server: The server program; the one beside this program otherwise.
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
    ///   - full: The number that the table is about.
    ///   - quick: The number for a first look.
    func amount(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }

    /// The path of a file that nobody has used yet, in a folder of its own: a session watches its replica's folder, and what
    /// another device writes is not to wake it.
    func freshPath(_ name: String) throws -> String {
        let own = folder.appending(path: "\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        return own.appending(path: name).path
    }

    /// Deletes the file of a fresh path, and what lies beside it; what cannot be deleted goes with the run's folder.
    func remove(_ path: String) {
        try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent())
    }

    func makeReplica(_ path: String, _ durability: Durability) throws -> Replica {
        try Replica.create(at: path, schema: try Schema(json: Workload.schema), durability: durability)
    }
}
