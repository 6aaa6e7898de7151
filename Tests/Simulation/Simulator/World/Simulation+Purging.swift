internal import RoostModel
internal import RoostService
internal import Session

/// The server's purge, and the long time that has to go by before.
extension Simulation {
    /// Lets days go by, lets some of the devices synchronise, so that the others are the ones who are away and may be written on
    /// there, and purges.
    func purge(afterDays days: Int) async throws {
        // Among all that a purge must leave, a cycle that a visible folder hangs on is seldom drawn. It is drawn apart from the rest.
        var apart = SplitMix64(state: conditions.seed &* 31 &+ UInt64(clock.now))
        let author =
            conditions.schema == .full && apart.next() % 3 == 0 ? devices.randomElement(using: &apart) : nil
        if let author { try writeCycle(author, using: &apart) }
        // A clock that jumps by as much is not to be taken for days that pass.
        if counts[.serverClockJump] > 0, apart.next() % 2 == 0 {
            jumpServer(by: Int64(conditions.horizonDays + 2) * Self.dayMilliseconds)
        } else {
            letPass(days: days)
        }
        // Those who synchronise after it know of it; the others have been away for long.
        if let author { try await synchroniseTwice(author) }
        for device in devices {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1: try await synchroniseTwice(device)
            case 2: try write(device, .library)
            default: break
            }
        }
        guard server.isRunning, let service = server.service else { return }
        // With its commit unheard, nobody knows whether something was purged.
        isPurgeUncertain = true
        do {
            try acceptServerClock()
            try await service.purge()
        } catch {
            if !server.disk.isDead && !server.hasDiskFault { throw Violation(.purge, "cannot purge: \(error)") }
        }
        guard !server.disk.isDead else { return try sawServer() }
        try settlePurge()
        try sawServer()
        try await wakeHeld()
    }

    /// The second pull shows the server that the first page has arrived.
    private func synchroniseTwice(_ device: SimulatedDevice) async throws {
        for _ in 0..<2 {
            try startSession(device, .once(attemptsMax: 2))
            try await pass(until: clock.now + 2000 + 2 * conditions.delayMost)
        }
    }

    /// Finds out what the server has purged, and whether it should have.
    func settlePurge() throws {
        guard let store = server.store else { return }
        isPurgeUncertain = false
        let view = try ServerView(store, scope)
        var names: [RecordKey: UInt64] = [:]
        try store.read { snapshot in
            try snapshot.forEachPurged(in: scope, after: 0) { sequence, key in
                if view.records[key] == nil, ledger.records[key] != nil { names[key] = sequence }
                return true
            }
        }
        let now = UInt64(server.clock.wall)
        for device in devices { try look(at: device) }
        let truth = UInt64(clock.wall + serverLead)
        try checks.purge.purged(names, ledger, devices.map { ($0.index, $0.view) }, now: now, truth: truth)
        trace.note("\(clock.now) purged: \(names.keys.sorted().map(\.short).joined(separator: " "))")
        ledger.purge(names)
        counts[.purged] += names.count
        if !names.isEmpty { counts[.purges] += 1 }
        if checks.purge.isRecovering(now: now) { counts[.notPurged] += 1 }
    }
}
