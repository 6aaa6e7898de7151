internal import Foundation
internal import TestProcesses

/// Crashes while a replica gets another token or identity: its file and its token file change one after the other.
extension CrashPoints {
    /// Tests that the replica continues with the old or the new token, whichever the server knows.
    func rotationPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        try torture.ensureServer()
        try control.arm(call, fault, counting: counted)
        let output = try Programs.run("roost", ["token", "rotate", first], environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        try torture.audit(first, at: place)
        try checkAccess(first, place)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        try checkAcknowledged(at: place)
        return isMet
    }

    /// Tests that the copy gets its own identity with its next synchronisation, its pending changes are pushed, and the
    /// original continues.
    func renewalPoint(_ call: Int, _ place: String) throws -> Bool {
        let copy = torture.stage.path("copy-\(call).roost")
        let pair = PairName(author: "c\(call)", number: 1)
        for suffix in ["", "-wal", "-token"] where FileManager.default.fileExists(atPath: first + suffix) {
            try FileManager.default.copyItem(atPath: first + suffix, toPath: copy + suffix)
        }
        try torture.sql(copy, TortureScope.pair(pair.author, pair.number))
        try write(0)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        try control.arm(call, fault, counting: counted)
        let output = try torture.sync(copy, environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        try torture.audit(copy, at: place)
        try checkAccess(copy, place)
        try torture.syncCleanly(copy, at: "\(place), the copy")
        try checkAccess(copy, place)
        recorder.expect(
            torture.auditServer(at: place).pairs.contains(pair), "\(place): I16: what waited in the copy is lost")
        let identities = try [first, copy].map { try torture.member("replica", of: $0) }
        recorder.expect(identities[0] != identities[1], "\(place): I16: the copy has the identity of its original")
        try torture.syncCleanly(first, at: "\(place), the original")
        try checkAcknowledged(at: place)
        removeReplica(copy)
        return isMet
    }

    /// Tests that the file is unchanged before the server has answered, except that it may have lost its token. Repeating the
    /// join completes it, unless it is complete.
    func rejoinPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(1)
        try torture.ensureServer()
        let link = try Programs.check("roost", "invite", first).lines[0]
        let arguments = ["join", link, second]
        // Alternates between joins with and without the token of the old identity.
        if call.isMultiple(of: 2) { try FileManager.default.removeItem(atPath: second + "-token") }
        try control.arm(call, fault, counting: counted)
        let output = try Programs.run("roost", arguments, environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        try torture.audit(second, at: place)
        let isDone = call % 4 < 2 ? false : try torture.sync(second).status == 0
        if !isDone {
            let again = try Programs.run("roost", arguments)
            let wasDone = again.status != 0 && again.error.contains("If it was used for this file, that has joined")
            recorder.expect(again.status == 0 || wasDone, "\(place): the same join again does not do it: \(again)")
        }
        try checkAccess(second, place)
        try torture.syncCleanly(second, at: place)
        acknowledge(1)
        try checkAcknowledged(at: place)
        return isMet
    }

    /// Checks that the file and its token file match.
    private func checkAccess(_ replica: String, _ place: String) throws {
        let access = try torture.member("hasCredentials", of: replica)
        recorder.expect(access == "true", "\(place): I16: the file has no token of its identity")
    }
}

extension TortureStage {
    /// Returns a member of `roost status --json`, as text.
    func member(_ name: String, of replica: String) throws -> String {
        let json = try Programs.check("roost", "status", "--json", replica).standard
        guard let range = json.range(of: "\"\(name)\":") else { return "" }
        return String(json[range.upperBound...].prefix { $0 != "," && $0 != "}" })
    }
}
