internal import Roost
internal import RoostModel
internal import RoostService
internal import Session

/// Phase two: the faults stop, and all replicas must converge without help.
extension Simulation {
    /// The time in which the replicas must converge, in simulated milliseconds.
    private static let patience: Int64 = 30_000
    private static let roundsMax = 3

    func heal() async throws {
        random = SplitMix64(state: conditions.seed &+ 0xC0FFEE)
        isHealed = true
        trace.note("\(clock.now) healed")
        stopFaults()
        // The stored clock outlives the server process.
        if counts[.serverClockJump] > 0, server.isRunning { try restartServer() }
        if !server.isRunning { try startServer() }
        while missingDevices > 0 {
            missingDevices -= 1
            try await join()
        }
        breakConnections()
        queue.hurryArrivals(at: clock.now)
        // No event shortens a pause that a server asked for while its disk failed.
        try await pass(until: pausedUntil)
        if hasForeign { try compareForeign() }
        let start = clock.now
        // A device that now observes a broken connection may have failed so often that its next attempt is far off. The
        // restored network wakes it.
        try await pass(until: clock.now + 1)
        for device in devices { try drive(device) { driver, now in driver.handle(.wake, at: now) } }
        // A device that a restored server does not know finds that out in one round, and joins again before the next.
        let roundsMax = Self.roundsMax + (hasForeign ? 2 : 0) + (hasGoneBack ? 2 : 0)
        for round in 1...roundsMax {
            try await replaceRetired()
            for device in devices { try startSession(device, .once(attemptsMax: 3)) }
            let end = start + Self.patience / Int64(Self.roundsMax) * Int64(round)
            // After the last session has ended, only late messages remain.
            while clock.now < end, devices.contains(where: { $0.driver != nil }) {
                try await pass(until: min(end, clock.now + 100))
            }
            let ended = clock.now
            try await pass(until: end)
            // Records whose push was in flight at the first comparison are confirmed now.
            let isFound = try hasForeign && compareForeign()
            // A session that waits for changes checks the file when its request has ended.
            if isFound { breakConnections() }
            if !isFound, !retired.contains(where: \.joinsAgain), let store = server.store, try whatDiffers(store) == nil
            {
                counts[.roundsToConverge] += round
                counts[.millisecondsToConverge] += Int(ended - start)
                try checks.end(ledger, devices.filter { !$0.isRetired }.map(\.view), &counts)
                if hasForeign { try await endForeign() }
                return
            }
        }
        let difference = try server.store.map { try whatDiffers($0) ?? "nothing" }
        throw Violation(.convergence, difference ?? "the server does not run")
    }

    private func stopFaults() {
        emptyUntil = clock.now
        for device in devices {
            device.link = .up
            // A proxy stays, provided that any single change gets through.
            if let uplink = device.uplink, uplink.isSlow || uplink.bytesMax < 1500 { device.uplink = nil }
            device.disk.die(after: 0)
            device.disk.mend()
            device.hasDiskFault = false
        }
        server.disk.die(after: 0)
        server.disk.mend()
        server.hasDiskFault = false
        readServerClock()
        server.clock.setRight()
        readServerClock()
    }

    /// Breaks all connections, so that no device waits for a lost message.
    func breakConnections() {
        for (_, lanes) in underWay.sorted(by: { $0.key < $1.key }) {
            for (_, message) in lanes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                queue.add(.failure(message, .unreachable(message: "connection reset")), at: clock.now + 1)
            }
        }
        held = []
    }
}

extension Simulation {
    private func whatDiffers(_ store: any Store) throws -> String? {
        for device in devices { try look(at: device) }
        // With foreign programs, rows are compared by their bytes afterwards.
        return ConvergenceChecker.difference(
            devices.filter { !$0.isRetired }, try ServerView(store, scope), comparesRows: !hasForeign)
    }
}
