internal import RoostModel
internal import RoostService
internal import Session

/// The server's purge, and the long time that has to pass before it.
extension Simulation {
    /// Lets days pass, synchronises some of the devices, and purges. The other devices are away, and may have local writes.
    func purge(afterDays days: Int) async throws {
        // A cycle that a visible folder depends on has to survive a purge, and is seldom drawn. It is drawn from a separate
        // random source.
        var apart = SplitMix64(state: conditions.seed &* 31 &+ UInt64(clock.now))
        let author =
            conditions.schema == .full && apart.next() % 3 == 0 ? devices.randomElement(using: &apart) : nil
        if let author { try writeCycle(author, using: &apart) }
        // The server must not take a clock that jumps by several days for days that pass.
        if counts[.serverClockJump] > 0, apart.next() % 2 == 0 {
            jumpServer(by: Int64(conditions.horizonDays + 2) * Self.dayMilliseconds)
        } else {
            letPass(days: days)
        }
        // Devices that synchronise after the cycle know of it. The others have been away for long.
        if let author { try await synchroniseTwice(author) }
        for device in devices {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1: try await synchroniseTwice(device)
            case 2: try write(device, .library)
            default: break
            }
        }
        guard server.isRunning, let service = server.service else { return }
        // If the commit's outcome is unknown, so is that of the purge.
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

    /// Synchronises twice: the second pull shows the server that the first page has arrived.
    private func synchroniseTwice(_ device: SimulatedDevice) async throws {
        for _ in 0..<2 {
            try startSession(device, .once(attemptsMax: 2))
            try await pass(until: clock.now + 2000 + 2 * conditions.delayMost)
        }
    }

    /// Finds out which records the server has purged, and checks them.
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
