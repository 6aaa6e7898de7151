internal import Foundation
internal import RoostModel
internal import Synchronization
internal import TestProcesses

/// A server and replicas of one scope in their own folder, with the recurring checks.
///
/// One thread uses it at a time.
final class TortureStage {
    let stage: Stage
    private let recorder: Recorder
    /// The replica files, the owner's first.
    private(set) var replicas: [String] = []

    init(_ recorder: Recorder, replicas count: Int) throws {
        self.recorder = recorder
        stage = try Stage()
        replicas = [try stage.makeScope("r0.roost", schema: TortureScope.schema)]
        for number in 1..<max(1, count) { replicas.append(try stage.join(replicas[0], as: "r\(number).roost")) }
    }

    /// The server's port.
    var port: Int { Int(stage.address.split(separator: ":").last ?? "") ?? 0 }

    /// Makes a replica reach the server through a proxy.
    func use(_ proxy: FaultProxy, for replica: String) throws {
        try sql(replica, "UPDATE roost_state SET value = 'http://127.0.0.1:\(proxy.port)' WHERE name = 'server';")
    }

    var serverFile: String { stage.path("server/roost.sqlite") }
    var folder: URL { stage.folder.resolvingSymlinksInPath() }

    /// Restarts the server if it is dead.
    func ensureServer(environment: [String: String] = [:]) throws {
        if stage.server?.isRunning != true { try stage.startServer(environment: environment) }
    }

    /// Runs SQL with SQLite's own shell, as any program would.
    @discardableResult
    func sql(_ replica: String, _ text: String, environment: [String: String] = [:]) throws -> Programs.Output {
        try Programs.run(
            "sqlite3", ["-bail", "-cmd", ".timeout 30000", replica], input: text + "\n", environment: environment)
    }

    @discardableResult
    func sync(_ replica: String, environment: [String: String] = [:]) throws -> Programs.Output {
        try Programs.run("roost", ["sync", replica], environment: environment)
    }

    /// Copies a database with its WAL, as stored, to a path that the next copy overwrites.
    ///
    /// Opening the files themselves would recover the WAL and might checkpoint it, so that the next program would not find
    /// them as they were left. No program may have them open.
    func copy(_ path: String) throws -> String {
        let copy = stage.path("copy-of-" + URL(filePath: path).lastPathComponent)
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: copy + suffix)
            guard suffix != "-shm", FileManager.default.fileExists(atPath: path + suffix) else { continue }
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        return copy
    }

    /// Checks a copy of a replica file as it was left, opens the file with Roost, and checks it again. No program may have it
    /// open.
    @discardableResult
    func audit(_ replica: String, at place: String) throws -> ReplicaAudit {
        let left = ReplicaAudit.run(try copy(replica), isSettled: false)
        recorder.fail(left.failures, at: "\(place), as it was left")
        let status = try Programs.run("roost", ["status", replica])
        recorder.expect(status.status == 0, "\(place): the replica does not open: \(status)")
        let settled = ReplicaAudit.run(replica, isSettled: true)
        recorder.fail(settled.failures, at: "\(place), opened")
        return settled
    }

    /// Checks the server's file.
    @discardableResult
    func auditServer(at place: String) -> ServerAudit {
        let audit = ServerAudit.run(serverFile)
        recorder.fail(audit.failures, at: place)
        return audit
    }

    /// Synchronises one replica, which must end up to date and equal to the server.
    func syncCleanly(_ replica: String, at place: String) throws {
        try ensureServer()
        let output = try sync(replica)
        recorder.expect(output.status == 0, "\(place): a sync without faults fails: \(output)")
        let digests = (ReplicaAudit.run(replica, isSettled: true), auditServer(at: place))
        recorder.fail(digests.0.failures, at: "\(place), synchronised")
        recorder.expect(
            digests.0.digest == digests.1.digest, "\(place): I1: the replica's digest is not the server's")
        recorder.expect(digests.0.waiting == 0, "\(place): \(digests.0.waiting) changes wait after a sync")
    }

    /// Synchronises every replica until all are equal to the server and to each other.
    func converge(at place: String, within seconds: Double = 30, rounds: Int = 3) throws {
        try ensureServer()
        let start = Date()
        for _ in 0..<rounds {
            for replica in replicas { try sync(replica) }
        }
        let server = auditServer(at: place)
        let audits = replicas.map { ReplicaAudit.run($0, isSettled: true) }
        recorder.converged(after: Date().timeIntervalSince(start))
        for (replica, audit) in zip(replicas, audits) {
            let name = URL(filePath: replica).lastPathComponent
            recorder.fail(audit.failures, at: "\(place), \(name)")
            recorder.expect(audit.waiting == 0, "\(place): I26: \(audit.waiting) changes of \(name) still wait")
            recorder.expect(audit.digest == server.digest, "\(place): I1: \(name) has another digest than the server")
        }
        let views = try replicas.map { try view($0) }
        recorder.expect(Set(views).count == 1, "\(place): I1: the replicas show different rows")
    }

    /// Returns every visible row of a replica, sorted.
    func view(_ replica: String) throws -> String {
        try sql(
            replica,
            """
            SELECT 'd', hex(id), amount, author, number, seen FROM debit
            UNION ALL SELECT 'c', hex(id), amount, author, number, NULL FROM credit
            UNION ALL SELECT 'p', hex(id), name, NULL, NULL, NULL FROM parent
            UNION ALL SELECT 'k', hex(id), label, amount, hex(parent) || hex(guardian), hex(friend) FROM child
            ORDER BY 1, 2;
            """
        ).standard
    }

    /// Adds to the report the numbers of journal entries of all replicas, and the number of hidden records, which is equal on
    /// all.
    func countOutcomes() throws {
        var hidden = 0
        for replica in replicas {
            let status = try Programs.check("roost", "status", "--json", replica).standard
            hidden = max(hidden, Self.number("hidden", status))
            recorder.count { traffic in
                traffic.beaten += Self.number("beaten", status)
                traffic.refused += Self.number("refused", status)
            }
        }
        recorder.count { $0.hidden += hidden }
    }

    private static func number(_ name: String, _ json: String) -> Int {
        guard let range = json.range(of: "\"\(name)\":") else { return 0 }
        return Int(json[range.upperBound...].prefix { $0.isNumber }) ?? 0
    }

    /// Returns the events of a kind that a replica has recorded.
    func events(_ replica: String, _ kind: String) throws -> [String] {
        try sql(replica, "SELECT text FROM roost_event WHERE kind = '\(kind)';").lines
    }
}
