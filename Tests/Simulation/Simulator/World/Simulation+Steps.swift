internal import Replica
internal import Roost
internal import RoostModel
internal import RoostService
internal import Session

/// The execution of steps.
extension Simulation {
    func perform(_ step: Step) async throws {
        switch step.kind {
        case .write(let index, let writer): try write(device(index), writer)
        case .writeTooLarge(let index, let writer): try writeTooLarge(device(index), writer)
        case .foreign(let index, let kind): try writeForeign(device(index), kind)
        case .synchronise(let index): try startSession(device(index), .once(attemptsMax: 3))
        case .keepSynchronised(let index): try startSession(device(index), .continuous(waitSeconds: 50))
        case .stop(let index): stop(device(index))
        case .pass(let milliseconds): try await pass(until: clock.now + milliseconds)
        case .cut(let index): device(index).link = .down
        case .halfOpen(let index): device(index).link = .halfOpen
        case .reconnect(let index): try reconnect(device(index))
        case .limitBodies(let index, let bytes, let isSlow): limitBodies(device(index), bytes, isSlow: isSlow)
        case .liftBodyLimit(let index): device(index).uplink = nil
        case .emptyServer(let milliseconds): emptyUntil = max(emptyUntil, clock.now + milliseconds)
        case .startHalfServer(let thousandths): try startHalfServer(thousandths: thousandths)
        case .crash(let index, let after, let crash):
            device(index).crash = crash
            device(index).disk.die(after: after)
        case .crashServer(let after, let crash):
            serverCrash = crash
            server.disk.die(after: after)
        case .failDisk(let index, let after, let count): failDisk(device(index), after, count)
        case .failServerDisk(let after, let count):
            server.hasDiskFault = true
            server.disk.fail(after: after, with: diskError(), count: count)
        case .jump(let index, let milliseconds):
            device(index).clock.jump(by: milliseconds)
            counts[.clockJump] += 1
        case .jumpServer(let milliseconds): jumpServer(by: milliseconds)
        case .editAtBound(let index): try await editAtBound(device(index))
        case .replay:
            guard let message = sent.filter(\.request.isPush).randomElement(using: &random) else { return }
            counts[.replayed] += 1
            repeatLater(message)
        case .forge: try await forge()
        case .join:
            if server.isRunning { try await joinLater() }
        case .publishSchema: try await publishSchema()
        case .keepCopy(let index): try keepCopy(of: device(index))
        case .restore(let index): try restore(device(index))
        case .copy(let index): try copy(device(index))
        case .backupServer: try backupServer()
        case .restoreServer: try restoreServer()
        case .purge(let days): try await purge(afterDays: days)
        }
    }

    /// Returns a device, or its successor if it was replaced.
    private func device(_ index: Int) -> SimulatedDevice {
        var device = devices[index % devices.count]
        while let successor = device.successor { device = devices[successor] }
        return device
    }

    /// Lets a device join while the scope is in use. If the server fails, the device tries again at the end of the script.
    func joinLater() async throws {
        do {
            try await join()
        } catch let violation as Violation {
            throw violation
        } catch {
            missingDevices += 1
            if !server.disk.isDead && !server.hasDiskFault { throw Violation(.session, "cannot join: \(error)") }
        }
        try sawServer()
    }

    private func publishSchema() async throws {
        guard let service = server.service, let owner, schemaVersion < SampleSchema.versions else { return }
        do {
            _ = try await service.publishSchema(
                SampleSchema.text(version: schemaVersion + 1, conditions.schema), by: owner)
            schemaVersion += 1
            counts[.schemaPublished] += 1
            counts[.oldSchemaReplica] += devices.count { $0.schemaVersion < schemaVersion }
        } catch {
            if !server.disk.isDead && !server.hasDiskFault { throw Violation(.session, "cannot publish: \(error)") }
            // The version may be stored nevertheless; the next one gets its own number.
        }
        try sawServer()
        // Some devices are updated at once, others later or never.
        for device in devices where Int.random(in: 0..<3, using: &random) == 0 { try migrate(device) }
    }

    // MARK: Sessions

    func startSession(_ device: SimulatedDevice, _ mode: SyncMode) throws {
        guard !device.isRetired, device.driver == nil, let replica = device.replica else { return }
        counts[.sessions] += 1
        device.generation += 1
        device.timer = nil
        device.wasUnrecognised = false
        if case .continuous = mode { device.isContinuous = true } else { device.isContinuous = false }
        device.run { replica.beginCopyingLog() }
        if device.disk.isDead { return try crash(device) }
        let deviceClock = device.clock
        device.driver = SyncDriver(
            replica, mode, seed: random.next(), limits: server.limits, manyChanges: 2, wallClock: { deviceClock.wall })
        do {
            try drive(device) { driver, now in try driver.start(at: now) }
            device.foreign?.isLayoutBroken = false
        } catch let violation as Violation {
            throw violation
        } catch {
            device.driver = nil
            if device.disk.isDead { return try crash(device) }
            guard device.hasDiskFault else {
                throw Violation(.session, "replica \(device.index) cannot start: \(error)")
            }
        }
    }

    func stop(_ device: SimulatedDevice) {
        device.driver = nil
        device.timer = nil
        device.generation += 1
    }

    /// Handles the end of a session.
    func ended(_ device: SimulatedDevice, _ outcome: SyncOutcome) throws {
        trace.note("\(clock.now) d\(device.index) \(outcome)")
        device.run { device.replica?.endCopyingLog() }
        if device.disk.isDead { return try crash(device) }
        device.driver = nil
        device.timer = nil
        device.generation += 1
        if case .stopped(let reason) = outcome, reason.kind == .unauthorized, try isForgotten(device) {
            return retire(device)
        }
        switch outcome {
        case .upToDate, .requested, .gaveUp: break
        case .blocked(let reason) where isOverBodyLimit(reason, device): break
        case .stopped(let reason)
        where reason.kind == .unauthorized && device.wasUnrecognised && !device.isContinuous:
            break
        // The server was restored again since the request. From the next round on, it knows the device.
        case .stopped(let reason) where reason.kind == .unauthorized && hasGoneBack: break
        case .blocked(let reason):
            throw Violation(.session, "replica \(device.index) cannot push: \(reason.kind): \(reason)")
        case .stopped(let reason):
            throw Violation(.session, "replica \(device.index) stopped: \(reason.kind): \(reason)")
        }
    }

    // MARK: Faults

    func reconnect(_ device: SimulatedDevice) throws {
        guard device.link != .up else { return }
        device.link = .up
        try drive(device) { driver, now in driver.handle(.wake, at: now) }
    }

    private func failDisk(_ device: SimulatedDevice, _ after: UInt64, _ count: UInt64) {
        device.hasDiskFault = true
        device.disk.fail(after: after, with: diskError(), count: count)
    }

    /// Returns SQLITE_FULL or SQLITE_IOERR.
    private func diskError() -> Int32 { Bool.random(using: &random) ? 13 : 10 }
}

extension SyncDriver.Request {
    var isPush: Bool { pushed != nil }
}
