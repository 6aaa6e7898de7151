import Foundation
import TestProcesses
import Testing

@testable import Torture

/// The audits find what they are meant to find: each line breaks an intact file in one way, without the triggers.
@Suite(.serialized) struct AuditTests {
    @Test(arguments: [
        ("UPDATE debit SET amount = amount + 1", "I5"),
        ("UPDATE debit SET amount = amount + 1", "I7"),
        ("DELETE FROM credit", "I7"),
        ("DELETE FROM child", "I5"),
        ("DELETE FROM parent", "I11"),
        ("DELETE FROM roost_fact WHERE entity = 4", "I5"),
        ("UPDATE roost_control SET digest = zeroblob(16)", "I5"),
        (
            "INSERT INTO roost_outbox(entity, id, put_stamp, first, txn, unsettled) VALUES (4, zeroblob(16), 1, 1, 1, 0)",
            "I5"
        ),
        ("INSERT INTO roost_mark(entity, id, at) VALUES (4, zeroblob(16), julianday('now'))", "I5"),
    ])
    func brokenReplicaIsFound(_ statement: String, _ invariant: String) throws {
        let (torture, recorder) = try Self.stage()
        let replica = torture.replicas[0]
        #expect(ReplicaAudit.run(replica, isSettled: true).failures == [])
        try torture.sql(
            replica,
            "UPDATE roost_control SET applying = 1000000; \(statement); UPDATE roost_control SET applying = 0;")
        let failures = ReplicaAudit.run(replica, isSettled: true).failures
        #expect(failures.contains { $0.hasPrefix(invariant) }, "\(failures)")
        #expect(!recorder.hasFailed)
    }

    @Test(arguments: [
        ("DELETE FROM record WHERE entity = 2", "I7"),
        ("UPDATE scope SET digest = zeroblob(16)", "the server's digest"),
        ("UPDATE scope SET sequence = sequence - 1", "I8"),
        ("DELETE FROM log WHERE row = 1", "I8: 1 records have no entry"),
        ("INSERT INTO log(scope, sequence, row) VALUES(1, 1, 99)", "1 entries of the log"),
    ])
    func brokenServerIsFound(_ statement: String, _ failure: String) throws {
        let (torture, _) = try Self.stage()
        torture.stage.server?.kill()
        #expect(ServerAudit.run(torture.serverFile).failures == [])
        try torture.sql(torture.serverFile, statement + ";")
        let failures = ServerAudit.run(torture.serverFile).failures
        #expect(failures.contains { $0.hasPrefix(failure) }, "\(failures)")
    }

    @Test func pushStoredTwiceIsFound() throws {
        let (torture, _) = try Self.stage()
        torture.stage.server?.kill()
        #expect(ServerAudit.run(torture.serverFile).emptySequences == 0)
        try torture.sql(
            torture.serverFile,
            """
            UPDATE scope SET sequence = sequence + 1;
            INSERT INTO chain(scope, sequence, hash) SELECT key, sequence, 0 FROM scope;
            """)
        let audit = ServerAudit.run(torture.serverFile)
        #expect(audit.failures == [])
        #expect(audit.emptySequences == 1)
    }

    @Test func pushUnderWayIsStoredOnce() throws {
        let (torture, _) = try Self.stage()
        let replica = torture.replicas[0]
        torture.stage.server?.kill()
        try torture.sql(replica, TortureScope.pair("a", 2))
        // The sync seals the push, and cannot send it.
        try torture.sync(replica)
        let left = try #require(
            try PushUnderWay(replica: try torture.copy(replica), server: try torture.copy(torture.serverFile)))
        #expect(left.storedReply == nil)
        #expect(try left.failures(on: torture.serverFile).count == 2)
        try torture.syncCleanly(replica, at: "sent again")
        #expect(try left.failures(on: torture.serverFile) == [])
        torture.stage.server?.kill()
        try torture.sql(torture.serverFile, "UPDATE scope SET sequence = sequence + 1;")
        #expect(try left.failures(on: torture.serverFile).count == 1)
    }

    @Test func failedSyncIsFoundUntilItIsMadeGood() throws {
        let (torture, _) = try Self.stage()
        let log = torture.replicas[0] + "-wal"
        let control = try FaultControl(in: torture.folder, under: torture.folder)
        try control.arm(1, .error(EIO, calls: nil), counting: [.fdatasync])
        try torture.sql(torture.replicas[0], TortureScope.pair("a", 2), environment: control.environment)
        #expect(control.unsynced.contains(log))
        try control.arm(1, .error(EIO, calls: 1), counting: [.fdatasync])
        for number in 3...4 {
            try torture.sql(torture.replicas[0], TortureScope.pair("a", number), environment: control.environment)
        }
        #expect(control.faults == 1)
        #expect(control.unsynced == [])
    }

    @Test func partThatDoesTooLittleFails() {
        let recorder = Recorder(.kill, seed: 1)
        recorder.floor("kills", reached: 0, least: 1)
        #expect(!recorder.report.isPassed)
    }

    private static func stage() throws -> (TortureStage, Recorder) {
        let recorder = Recorder(.crash, seed: 1)
        let torture = try TortureStage(recorder, replicas: 1)
        try torture.sql(
            torture.replicas[0],
            TortureScope.pair("a", 1)
                + "INSERT INTO parent(id, name) VALUES (\(id(1)), 'p'); INSERT INTO child(label, parent) VALUES ('c', \(id(1)));"
        )
        try torture.syncCleanly(torture.replicas[0], at: "preparing")
        return (torture, recorder)
    }
}
