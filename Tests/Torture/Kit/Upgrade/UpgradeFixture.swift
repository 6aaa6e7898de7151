internal import Foundation
internal import TestProcesses

/// A server folder and replicas of one scope as the earlier programs left them, to be restored repeatedly.
///
/// Real programs make all of it: those of `scripts/earlier-programs`, and SQLite's shell.
final class UpgradeFixture {
    let kind: UpgradeFixtureKind
    let programs: UpgradePrograms
    let stage: Stage
    /// The replica that is upgraded; it belongs to an owner.
    let replica: String
    /// Another device of that schema version.
    private(set) var other = ""
    /// A device of a later schema version.
    private(set) var later = ""
    private var image: FolderImage?

    /// - Parameter folder: A folder to make the fixture in and to keep; `nil` for a temporary one.
    init(_ kind: UpgradeFixtureKind, _ programs: UpgradePrograms, in folder: URL? = nil) throws {
        self.kind = kind
        self.programs = programs
        stage = try Stage(programs.earlier, in: folder)
        replica = try stage.makeScope("r0.roost", schema: UpgradeSchema.first)
        try prepare()
        try kind.write(self)
        stage.server?.kill()
        image = try FolderImage(of: stage.folder)
    }

    /// Restores the folder as the earlier programs left it.
    ///
    /// - Parameter set: The programs that the stage uses from now on.
    func restore(for set: ProgramSet) throws {
        stage.server?.kill()
        try image?.restore()
        stage.programs = set
    }

    /// Runs `body` with an image of the current folder in place of the one that the earlier programs left.
    func withImageOfNow(_ body: () throws -> Void) throws {
        let kept = image
        defer { image = kept }
        image = try FolderImage(of: stage.folder)
        try body()
    }

    func startServer() throws {
        if stage.server?.isRunning != true { try stage.startServer() }
    }

    /// Returns the sealed push whose reply never arrived, as its number and its bytes.
    func sealedPush() throws -> [String] {
        try Programs.sql(replica, "SELECT number, hex(body) FROM roost_push").lines
    }

    // MARK: Building

    /// Makes confirmed, hidden, kept, unfit and refused records, on three devices.
    private func prepare() throws {
        try sql(replica, UpgradeStatements.base)
        try sync(replica)
        other = try stage.join(replica, as: "r1.roost")
        later = try stage.join(replica, as: "r2.roost", role: "owner")
        try sql(replica, UpgradeStatements.usersOwn)
        try refuse()
        // An edit that loses, and a spending that keeps a person whom another device deletes.
        try sql(replica, "UPDATE spending SET content = 'beaten' WHERE id = \(id(103));")
        try sql(replica, "INSERT INTO spending(id, content, guarantor) VALUES (\(id(150)), 'holds', \(id(4)));")
        try writeElsewhere()
        try sync(other, later, replica, other)
    }

    /// Writes one record that the server refuses, in its own transaction.
    private func refuse() throws {
        try stage.programs.check("roost", "status", replica)
        try sql(replica, "INSERT INTO tag(id, label) VALUES (\(id(299)), printf('%.*c', 300000, 'x'));")
        try sync(replica)
    }

    private func writeElsewhere() throws {
        try sync(other)
        try sql(other, UpgradeStatements.others)
        let schema = stage.path("second.json")
        try Data(UpgradeSchema.second.utf8).write(to: URL(filePath: schema))
        try stage.programs.check("roost", "migrate", later, schema)
        try stage.programs.check("roost", "schema", "publish", later, schema)
        try sync(later)
        try sql(later, UpgradeStatements.ofLaterVersion)
    }

    // MARK: Programs

    /// Runs SQL with SQLite's own shell, which a script may kill.
    func sql(_ file: String, _ text: String) throws {
        let output = try Programs.run("sqlite3", ["-bail", "-cmd", ".timeout 30000", file], input: text + "\n")
        let isEnded = text.contains("kill -9") && output.isSignalled
        guard output.status == 0 || isEnded else {
            throw UnexpectedEnd(program: "sqlite3", arguments: [file], output: output)
        }
    }

    /// Synchronises replicas, which must succeed.
    func sync(_ files: String...) throws {
        for file in files { try stage.programs.check("roost", "sync", file) }
    }
}
