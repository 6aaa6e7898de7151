internal import Foundation
internal import TestProcesses

/// A replica in which a failed statement has left Roost's flag set, so that the earlier programs missed writes.
///
/// The later programs find the missed writes and track every write from then on. Programs with the format of the earlier ones
/// do not. For them, the test only checks that they continue.
struct UpgradeLeftFlag {
    let fixture: UpgradeFixture
    let recorder: Recorder
    let isUpgrade: Bool

    private var later: ProgramSet { fixture.programs.later }

    func run() throws {
        try fixture.restore(for: later)
        try fixture.startServer()
        try later.check("roost", "status", fixture.replica)
        guard isUpgrade else {
            let output = try later.run("roost", ["sync", fixture.replica])
            return recorder.expect(output.status == 0, "flagLeft: a sync fails: \(output)")
        }
        try fixture.sql(
            fixture.replica,
            """
            UPDATE spending SET content = 'edit after the upgrade' WHERE id = \(id(126));
            DELETE FROM spending WHERE id = \(id(139));
            """)
        try synchronise()
        try settleMissing()
        let rows = try fixture.rowsOfBoth()
        recorder.expect(
            rows.ours == rows.others, "flagLeft: the devices show \(UpgradeClosing.difference(rows.ours, rows.others))")
        for text in ["untracked edit", "tracked put", "edit after the upgrade"] {
            recorder.expect(rows.ours.contains { $0.contains(text) }, "flagLeft: the \(text) is lost here")
            recorder.expect(
                rows.others.contains { $0.contains(text) }, "flagLeft: the \(text) did not arrive elsewhere")
        }
        let hex = String(id(139).dropFirst(2).dropLast()).uppercased()
        recorder.expect(
            !rows.others.contains { $0.contains("spending X'\(hex)'") }, "flagLeft: a delete after the upgrade is lost")
    }

    /// Settles a row that was deleted without a mark. It may require user action: the user is notified, and accepts the
    /// delete.
    private func settleMissing() throws {
        let rows = try fixture.rowsOfBoth()
        guard rows.ours != rows.others else { return }
        let said = try later.check("roost", "status", fixture.replica).standard
        recorder.expect(
            said.contains("missing"), "flagLeft: rows are missing and the status does not say so: \(said)")
        let output = try later.run("roost", ["repair", "--accept-deletes", fixture.replica])
        recorder.expect(output.status == 0, "flagLeft: deletes cannot be accepted: \(output)")
        try synchronise()
    }

    private func synchronise() throws {
        for file in [fixture.replica, fixture.other, fixture.replica] {
            let output = try later.run("roost", ["sync", file])
            recorder.expect(output.status == 0, "flagLeft: a sync fails: \(output)")
        }
    }
}

extension UpgradeFixture {
    fileprivate func rowsOfBoth() throws -> (ours: [String], others: [String]) {
        (try ReplicaView.rows(of: replica), try ReplicaView.rows(of: other))
    }
}
