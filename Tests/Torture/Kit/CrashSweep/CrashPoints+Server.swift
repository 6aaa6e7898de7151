internal import Foundation
internal import TestProcesses

/// Crashes of the server: while it accepts a push, and while it starts and stops.
extension CrashPoints {
    func serverPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        try restartServer(control.environment)
        try control.arm(call, fault, counting: counted)
        // A server with a full disk asks the client to retry later, which takes too long here.
        let output = try Programs.run("timeout", ["-s", "KILL", "2", Programs.url("roost").path, "sync", first])
        let isMet = try disarm()
        if isMet, isDeath { try waitForDeath(place) }
        if !isDeath, output.status == 0 { checkSynced(at: "\(place), pushed") }
        try auditLeftServer(at: place)
        if output.status == 0 { try checkUpToDate(at: "\(place), status 0") }
        let left = try pushUnderWay()
        if isMet, !isDeath {
            // The disk works again: the server continues by itself.
            recorder.expect(torture.stage.server?.isRunning == true, "\(place): I20: the server ends")
            try torture.syncCleanly(first, at: "\(place), the same server")
        }
        try torture.ensureServer()
        torture.auditServer(at: "\(place), started again")
        try torture.audit(first, at: place)
        try torture.syncCleanly(first, at: place)
        try checkRepeated(left, place)
        acknowledge(0)
        try checkAcknowledged(at: place)
        return isMet
    }

    func startPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        // After the kill, the next start finds a WAL.
        torture.stage.server?.kill()
        let isMet = try startUnderFault(call, place)
        try auditLeftServer(at: place)
        try torture.ensureServer()
        try torture.audit(first, at: place)
        try checkAcknowledged(at: place)
        return isMet
    }

    /// Starts the server with the fault and stops it.
    ///
    /// - Parameter isDone: Returns whether the server may be stopped.
    /// - Returns: Whether the fault was met.
    func startUnderFault(_ call: Int, _ place: String, until isDone: () -> Bool = { true }) throws -> Bool {
        try control.arm(call, fault, counting: counted)
        do {
            try torture.stage.startServer(environment: control.environment)
            let isEnough = try eventually { torture.stage.server?.isRunning != true || isDone() }
            recorder.expect(isEnough, "\(place): the server does not do what it was started for")
            let status = torture.stage.server?.terminate() ?? 0
            let log = torture.stage.server?.log ?? ""
            recorder.expect(
                isDeath || status == 0 || (status == 74 && log.contains("roost-server: ")),
                "\(place): I20: the server ends with \(status): \(log)")
            unsynced = control.unsynced
            if !isDeath, status == 0, !Self.saysPurgeFailed(log) { checkSynced(at: "\(place), stopped") }
        } catch let error as UnexpectedEnd {
            recorder.expect(control.faults > 0, "\(place): the server does not start")
            recorder.expect(
                isDeath || error.output.error.contains("roost-server: "),
                "\(place): I20: it ends without a word: \(error)")
        }
        return try disarm()
    }

    private func restartServer(_ environment: [String: String]) throws {
        torture.stage.server?.kill()
        try control.arm(0)
        try torture.stage.startServer(environment: environment)
    }

    private func waitForDeath(_ place: String) throws {
        let isDead = try eventually(within: 10) { [torture] in torture.stage.server?.isRunning != true }
        recorder.expect(isDead, "\(place): the server lives on")
    }
}
