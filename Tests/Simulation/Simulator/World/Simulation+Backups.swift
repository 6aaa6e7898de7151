internal import Replica
internal import Roost
internal import RoostModel
internal import RoostProtocol
internal import RoostService
internal import Session

/// Backups of the server's store, and restores from them.
extension Simulation {
    private static let backupsMax = 4

    /// Takes a backup, for which the operator stops the server.
    func backupServer() throws {
        guard server.isRunning else { return }
        try stopServer()
        let copy = server.copy()
        try startServer()
        guard let store = server.store else { return }
        if backups.count == Self.backupsMax { backups.removeFirst() }
        backups.append(
            ServerBackup(
                copy: copy, ledger: ledger, answered: checks.answered, schemaVersion: schemaVersion,
                head: try ServerView(store, scope).scope.head.sequence))
    }

    /// Chooses a backup: the newest in two of three restores, and otherwise any, so that restores alternate between them.
    private func chooseBackup() -> ServerBackup? {
        // Drawn from a separate random source, so that a seed with one backup stays unchanged.
        var apart = SplitMix64(state: conditions.seed &* 131 &+ UInt64(clock.now))
        guard backups.count > 1, apart.next() % 3 == 0 else { return backups.last }
        let index = Int(apart.next() % UInt64(backups.count))
        if index < backups.count - 1 { counts[.olderBackupRestored] += 1 }
        return backups[index]
    }

    /// Restores the store from a backup, by `roost-server restore` or by replacing the file without it.
    func restoreServer() throws {
        guard server.isRunning, let backup = chooseBackup() else { return }
        // Changes that were stored but never confirmed are lost too.
        try settleUncertain()
        let clock = try server.storedClock()
        try stopServer()
        for device in devices { try look(at: device) }

        try checks.serverGoesBack(ledger)
        let isByOperator = Bool.random(using: &random)
        let lost = ledger.goBack(to: backup.ledger)
        schemaVersion = backup.schemaVersion
        server.putBack(backup.copy)
        let views = try devices.filter { !$0.isRetired }.map { ($0.index, try heldView(of: $0)) }
        checks.serverWentBack(
            to: backup.answered, head: backup.head, isByOperator: isByOperator, views, ledger, devices: devices.count)
        counts[.serverRestored] += 1
        if !isByOperator { counts[.serverRestoredUnsaid] += 1 }
        counts[.changesLost] += lost
        trace.note(
            "\(self.clock.now) the server is put back\(isByOperator ? " by its operator" : ""), \(lost) changes lost")
        if isByOperator {
            try server.beginAnew(clock: clock)
            checks.purge.serverBeganAnew(now: UInt64(server.clock.wall))
        }
        try startServer()
        if !isByOperator { try acceptShownTime() }
        if let token = intruder, try isUnknown(token) { intruder = nil }
    }

    /// Returns the view of a device without content that it no longer holds: another program may have dropped or replaced a
    /// table, or overwritten a content without a trigger.
    private func heldView(of device: SimulatedDevice) throws -> ReplicaView {
        var view = device.view
        guard device.foreign != nil, !device.disk.isDead else { return view }
        let image = try device.run { try FileImage(try device.lookingConnection(), tables(of: device)) }
        view.facts = try view.facts.filter { key, slots in
            guard case .put = slots.own, let put = slots.put, let encoded = ledger.content(key, put) else {
                return true
            }
            return try image.present(key)?.columns["text"]?.string == Expected(encoded).text
        }
        return view
    }

    func restartServer() throws {
        try settleUncertain()
        try stopServer()
        try startServer()
    }

    /// Starts the server on a truncated copy of its file, which it must refuse to serve. Then puts the complete file back.
    func startHalfServer(thousandths: Int) throws {
        guard server.isRunning else { return }
        try settleUncertain()
        try stopServer()
        guard case .file(let whole) = server.copy() else { return try startServer() }
        let half = SimulatedDisk.Image(main: Array(whole.main.prefix(whole.main.count * thousandths / 1000)), log: [])
        server.putBack(.file(half))
        do {
            try server.start()
            throw Violation(
                .integrity, "the server serves \(half.main.count) of the \(whole.main.count) bytes of its file")
        } catch let violation as Violation {
            throw violation
        } catch {
            counts[.halfServerRefused] += 1
        }
        server.end()
        server.putBack(.file(whole))
        try startServer()
    }

    /// Stops the server as an operator does. Pending faults of its disk are cancelled.
    private func stopServer() throws {
        server.disk.die(after: 0)
        server.disk.mend()
        try server.close()
        checks.purge.serverDied()
        breakConnections()
    }

    // MARK: Devices that the restored server does not know

    /// Returns whether the server does not know a token because it was lost in a restore (README, "Limits of this version").
    func isUnknown(_ token: String) throws -> Bool {
        guard hasGoneBack, let store = server.store else { return false }
        let hash = try SimulatedServer.token(token).hash
        return try store.read { try $0.token(hash) } == nil
    }

    /// Returns whether the server knows none of the tokens that a device has had: the device joined after the backup was
    /// taken.
    func isForgotten(_ device: SimulatedDevice) throws -> Bool {
        let tokens = try device.run { () -> [String]? in
            guard let replica = device.replica, let token = try replica.membership()?.token else { return nil }
            return [token] + (try replica.earlierTokens())
        }
        return try tokens?.allSatisfy { try isUnknown($0) } ?? false
    }

    /// Retires a device. Its user joins again with the file, or, one in four, discards the file and joins with a new one.
    /// Changes stored only in a discarded file stay there.
    func retire(_ device: SimulatedDevice) {
        device.isRetired = true
        device.joinsAgain = Int.random(in: 0..<4, using: &random) > 0
        retired.append(device)
        counts[.devicesForgotten] += 1
        if !device.joinsAgain { checks.gaveUp(device.index) }
    }

    /// Lets the users of retired devices join again.
    func replaceRetired() async throws {
        while let device = retired.first, server.isRunning {
            if device.joinsAgain {
                guard try await rejoin(device) else { return }
                retired.removeFirst()
                continue
            }
            let index = devices.count
            try await joinLater()
            guard devices.count > index else { return }
            device.successor = index
            retired.removeFirst()
        }
    }

    /// Joins again as `roost join LINK FILE` does.
    private func rejoin(_ device: SimulatedDevice) async throws -> Bool {
        guard let service = server.service, let owner, let replica = device.replica,
            var membership = try device.run({ try replica.membership() })
        else { return false }
        do {
            let invite = try await service.createInvite(role: .editor, hours: nil, uses: 1, by: owner)
            let registration = try await service.join(
                invite: try SimulatedServer.token(invite.token ?? ""), device: "\(device.index)",
                nonce: "again \(device.index) \(clock.now)", scope: membership.scope)
            membership.replica = registration.replica
            membership.token = registration.token
            membership.role = registration.role
            let reason = try await verdict(on: device, replica, registration.token)
            let rejoined = membership
            mayBeForked(device)
            try device.run { try replica.rejoin(rejoined, resynchronising: reason) }
        } catch {
            if server.disk.isDead || server.hasDiskFault || device.hasDiskFault || device.disk.isDead { return false }
            throw Violation(.session, "replica \(device.index) cannot join again: \(error)")
        }
        device.isRetired = false
        counts[.rejoined] += 1
        trace.note("\(clock.now) d\(device.index) joined again")
        try look(at: device)
        return true
    }

    /// Returns the server's verdict on the device's checkpoint.
    private func verdict(
        on device: SimulatedDevice, _ replica: Replica, _ token: String
    ) async throws -> PullAnewReason? {
        guard let checkpoint = try device.run({ try replica.checkpoint() }) else {
            switch try device.run({ try replica.reasonOfPullingAnew() }) {
            case .differs, .damaged, .refused: return nil
            case .historyChanged, .expired, nil: return .historyChanged
            }
        }
        guard case .refused(let bytes) = await server.pull(since: checkpoint, token: token) else { return nil }
        let error = try ProtocolError(json: try JSONParser.parse(bytes))
        switch error.code {
        case .historyChanged, .badRequest: return .historyChanged
        case .resyncRequired: return .expired
        default: throw error
        }
    }

    var hasGoneBack: Bool { counts[.serverRestored] > 0 }
}
