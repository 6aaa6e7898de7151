internal import Foundation
internal import TestProcesses

/// The state in which the earlier programs leave the replica that is upgraded.
///
/// Each kind also has confirmed, hidden, kept, unfit and journaled records.
enum UpgradeFixtureKind: String, CaseIterable, Sendable {
    /// Pending changes, some of which are not settled.
    case pending
    /// A sealed push that never reached the server, with changes on top.
    case pushNotStored
    /// A sealed push that the server stored and whose reply never arrived, with changes on top.
    case pushStored
    /// A failed statement has left the flag set that disables Roost's triggers. Later writes are untracked.
    case flagLeft

    func write(_ fixture: UpgradeFixture) throws {
        switch self {
        case .pending:
            try fixture.writePending()
        case .pushNotStored:
            try fixture.writePending()
            fixture.stage.server?.kill()
            try fixture.sealWithoutReply()
        case .pushStored:
            try fixture.writePending()
            try fixture.sealThroughProxy()
        case .flagLeft:
            try fixture.leaveFlag()
        }
    }

    /// Whether the earlier programs track every write of the fixture, so that their outcome is the expected one.
    var isTracked: Bool { self != .flagLeft }
}

extension UpgradeFixture {
    fileprivate func writePending() throws {
        try sql(replica, UpgradeStatements.settled)
        try stage.programs.check("roost", "status", replica)
        try sql(replica, UpgradeStatements.unseen)
    }

    /// Seals a push without a server to send it to, and writes on top of it.
    fileprivate func sealWithoutReply() throws {
        let output = try stage.programs.run("roost", ["sync", replica])
        guard output.status == 75 else { throw UnexpectedEnd(program: "roost", output: output) }
        try checkPushIsSealed()
        try sql(replica, UpgradeStatements.onTopOfPush)
    }

    /// Makes the server store a push whose reply is lost, and writes on top of it.
    fileprivate func sealThroughProxy() throws {
        let port = Int(stage.address.split(separator: ":").last ?? "") ?? 0
        let proxy = try FaultProxy(to: port, seed: 1)
        proxy.heal()
        proxy.cutPushes(.init(part: .reply, bytes: 0))
        proxy.start()
        defer { proxy.stop() }
        let before = try lastSequence()
        try use(server: "http://127.0.0.1:\(proxy.port)")
        try sealWithoutReply()
        try use(server: stage.address)
        guard try lastSequence() > before else { throw SocketError(text: "the server has not stored the push") }
        // The change of the server's address is in the WAL only, as are the changes on top of the push.
        try sql(replica, ".shell kill -9 $PPID")
    }

    private func use(server: String) throws {
        try sql(replica, "UPDATE roost_state SET value = '\(server)' WHERE name = 'server';")
    }

    private func lastSequence() throws -> Int {
        try Programs.sql(stage.path("server/roost.sqlite"), "SELECT sequence FROM scope").lines.first.flatMap {
            Int($0)
        }
            ?? 0
    }

    private func checkPushIsSealed() throws {
        let count = try Programs.sql(replica, "SELECT count(*) FROM roost_push").lines
        guard count == ["1"] else {
            throw SocketError(text: "the earlier programs hold \(count) sealed pushes, expected 1")
        }
    }

    /// Makes a user trigger fail inside a cascade: the first reproduction of the table in issue 44.
    fileprivate func leaveFlag() throws {
        let failing = """
            CREATE TRIGGER mine_locks BEFORE DELETE ON spending WHEN OLD.content = 'locked' BEGIN
              SELECT RAISE(FAIL, 'locked');
            END;
            UPDATE spending SET content = 'locked' WHERE id = \(id(120));
            """
        try sql(replica, failing)
        let output = try Programs.sql(replica, "DELETE FROM person WHERE id = \(id(1))")
        let flag = try Programs.sql(replica, "SELECT applying FROM roost_control").lines
        guard output.error.contains("locked"), flag == ["1"] else {
            throw SocketError(text: "the failed delete leaves the flag \(flag), expected 1: \(output)")
        }
        try sql(
            replica,
            """
            DROP TRIGGER mine_locks;
            UPDATE spending SET content = 'untracked edit' WHERE id = \(id(127));
            DELETE FROM spending WHERE id = \(id(130));
            INSERT INTO spending(id, content) VALUES (\(id(164)), 'tracked put');
            """)
    }
}
