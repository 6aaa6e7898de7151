import BenchmarkData
import Foundation
import RoostModel

/// Other programs that do the same work in the same run. Python files in `Benchmarks/Peers` run them.
struct Peers {
    /// The rows for which each peer has comparable work.
    private static let rows: [(peer: String, rows: [String])] = [
        ("apsw", ["insert", "apply"]),
        ("anki", ["push", "pull", "change", "memory"]),
        ("pocketbase", ["push", "pull", "serve", "change", "live", "devices", "memory"]),
        ("kinto", ["push", "serve", "change", "devices", "memory"]),
    ]

    let context: Context
    private let python: URL
    private let script: URL
    private let work: URL

    /// Writes the work to a file for the peers.
    ///
    /// - Parameter folder: The virtual environment in which the peers are installed. The programs that run them are in the
    ///   repository, whose top is the current folder.
    init(_ context: Context, installedIn folder: String) throws {
        let python = URL(fileURLWithPath: folder).appending(path: "bin/python")
        guard FileManager.default.isExecutableFile(atPath: python.path) else {
            throw BenchmarkError("There is no \"\(python.path)\". scripts/bench --peers installs it.")
        }
        self.context = context
        self.python = python
        script = URL(fileURLWithPath: "Benchmarks/Peers/run.py")
        work = context.folder.appending(path: "work.json")
        try JSONEncoder().encode(PeerWork(context)).write(to: work)
    }

    /// Measures the rows of every peer, one peer after another.
    func measure(_ names: [String]) async -> [PeerFigure] {
        var figures: [PeerFigure] = []
        for (peer, rows) in Self.rows {
            let wanted = rows.filter(names.contains)
            if wanted.isEmpty { continue }
            context.note("  \(peer): \(wanted.joined(separator: ", "))")
            Disk.settle()
            let found = await run(peer, wanted)
            figures += found
            for row in wanted where !found.contains(where: { $0.row == row }) {
                figures.append(PeerFigure(peer: peer, row: row, failed: "its program ended without a figure"))
            }
        }
        return figures
    }

    private func run(_ peer: String, _ rows: [String]) async -> [PeerFigure] {
        var figures: [PeerFigure] = []
        do {
            let folder = try context.freshPath("peer")
            defer { context.remove(folder) }
            let child = try ChildProcess(
                python, [script.path, peer, work.path, folder] + rows, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
            while let line = await child.nextLine() {
                figures.append(try JSONDecoder().decode(PeerFigure.self, from: Data(line.utf8)))
            }
            child.stop()
        } catch {
            figures.append(PeerFigure(peer: peer, row: rows.joined(separator: ", "), failed: "\(error)"))
        }
        return figures
    }
}
