package import Foundation
internal import TestProcesses

/// The fixtures of the upgrade tests, to be inspected or upgraded by hand.
package enum UpgradeFixtures {
    /// Makes every fixture with the earlier programs, each in its own folder.
    ///
    /// The replicas have the address of the server that made them, which no longer runs.
    ///
    /// - Parameter folder: A new folder. A copy of it is a copy of the replicas, which take new identities when they
    ///   synchronise.
    /// - Returns: One line for each fixture: its folder, and how to start its server.
    package static func make(in folder: URL, _ programs: UpgradePrograms) throws -> [String] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var lines: [String] = []
        for kind in UpgradeFixtureKind.allCases {
            let place = folder.appending(path: kind.rawValue)
            let fixture = try UpgradeFixture(kind, programs, in: place)
            lines.append(line(place, fixture.stage.address))
        }
        let server = folder.appending(path: "server")
        lines.append(
            line(server, try UpgradeServerFolder(programs, Recorder(.upgrade, seed: 1), in: server).address))
        let book = folder.appending(path: "book")
        let bookStage = try UpgradeBook(programs: programs, recorder: Recorder(.upgrade, seed: 1)).make(in: book)
        lines.append(line(book, bookStage.address))
        return lines
    }

    private static func line(_ folder: URL, _ address: String) -> String {
        let listen = address.split(separator: "/").last ?? ""
        return "\(folder.path): roost-server serve --data \(folder.appending(path: "server").path) --listen \(listen)"
    }
}
