internal import Foundation
internal import TestProcesses

/// The checks after a point.
extension CrashPoints {
    /// Whether the fault kills the process. Otherwise a call fails, and the process reports it.
    var isDeath: Bool { if case .error = fault { false } else { true } }

    /// I20: a program whose file calls fail exits by itself, with a documented status and a message. Work that it reports as
    /// done is on the disk.
    func check(_ output: Programs.Output, _ isMet: Bool, _ place: String) {
        recorder.expect(isMet || output.status == 0, "\(place): not met, and fails: \(output)")
        guard !isDeath else { return }
        let statuses: [Int32] = scene == .plainWrite ? [0, 1] : [0, 65, 66, 69, 73, 74, 75, 77]
        recorder.expect(
            !output.isSignalled && statuses.contains(output.status),
            "\(place): I20: the refusal is not plain: \(output)")
        let hasMessage = output.error.contains(scene == .plainWrite ? "rror" : "roost")
        recorder.expect(output.status == 0 || hasMessage, "\(place): I20: the refusal says nothing: \(output)")
        if output.status == 0 { checkSynced(at: place) }
    }

    /// I20: no sync of a file failed without a report.
    func checkSynced(at place: String) {
        let lost = unsynced.filter { !isDispensable($0) }
        recorder.expect(
            lost.isEmpty, "\(place): I20: said to be done, though a sync failed and was not made good: \(lost)")
    }

    /// Returns whether a power failure loses nothing although the sync of a file failed permanently:
    ///
    /// - A database whose WAL still exists: its checkpoint failed, and the WAL has all of its content.
    /// - The WAL of a replica that synchronises: local writes were on the disk before, and the server delivers the last
    ///   applied replies and pages again.
    /// - A file that no longer exists.
    private func isDispensable(_ path: String) -> Bool {
        if scene == .clientSync, path == first + "-wal" { return true }
        if scene == .join, path.hasSuffix(".roost-wal") { return true }
        guard FileManager.default.fileExists(atPath: path) else { return true }
        let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        return (log ?? 0) > 0
    }

    /// Checks a sync that reported success: the server has all changes, and the replica shows them.
    func checkUpToDate(at place: String) throws {
        let (replica, server) = (ReplicaAudit.run(first, isSettled: true), ServerAudit.run(torture.serverFile))
        recorder.expect(
            replica.waiting == 0 && replica.digest == server.digest, "\(place): I20: the replica is not up to date")
        for pair in lastPairs {
            recorder.expect(
                replica.pairs.contains(pair) && server.pairs.contains(pair), "\(place): I20: \(pair) is missing")
        }
    }

    /// Checks the server's file as its death left it, before another program opens it.
    ///
    /// A server that still runs has the file open, which is then read in place.
    func auditLeftServer(at place: String) throws {
        let isOpen = torture.stage.server?.isRunning == true
        let audit = ServerAudit.run(isOpen ? torture.serverFile : try torture.copy(torture.serverFile))
        recorder.fail(audit.failures, at: "\(place), as it was left")
        // I3: the file has the changes acknowledged before.
        checkAcknowledged(audit, at: "\(place), as it was left")
    }

    /// I3: the server holds every pair that it acknowledged. I6: it stored no push twice.
    func checkAcknowledged(at place: String) throws {
        let audit = torture.auditServer(at: place)
        checkAcknowledged(audit, at: place)
        // The next point repeats the writes of undelete, and a purged identifier may be used again: their sequences become
        // empty.
        guard ![.libraryWrite, .serverPurge, .clientPurge].contains(scene) else { return }
        recorder.expect(
            audit.emptySequences == 0,
            "\(place): I6: \(audit.emptySequences) sequences hold nothing: a push was stored twice")
    }

    private func checkAcknowledged(_ audit: ServerAudit, at place: String) {
        for index in 0...1 where acknowledged[index] > 0 {
            for number in 1...acknowledged[index] {
                let name = PairName(author: author(index), number: number)
                recorder.expect(audit.pairs.contains(name), "\(place): I3: the acknowledged \(name) is lost")
            }
        }
    }

    // MARK: Pushes in flight

    /// Returns the first replica's push without a reply, read from copies that no program has open.
    func pushUnderWay() throws -> PushUnderWay? {
        let isOpen = torture.stage.server?.isRunning == true
        return try PushUnderWay(
            replica: try torture.copy(first), server: isOpen ? torture.serverFile : try torture.copy(torture.serverFile)
        )
    }

    /// I6: the push in flight was resent, and is stored once.
    func checkRepeated(_ left: PushUnderWay?, _ place: String) throws {
        guard let left else { return }
        underWay.pushes += 1
        if left.storedReply != nil { underWay.stored += 1 }
        recorder.fail(try left.failures(on: torture.serverFile), at: place)
    }
}
