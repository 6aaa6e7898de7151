internal import Replica
internal import Roost
internal import RoostModel
internal import RoostProtocol
internal import RoostService
internal import SQLiteStore

/// Crashes of devices and of the server, and their restarts.
extension Simulation {
    /// Handles the death of a device's disk: its programs are gone, and the file is opened again.
    func crash(_ device: SimulatedDevice) throws {
        let kind = device.crash
        device.close()
        underWay[device.index] = nil
        let losses = device.disk.crash(kind, seed: random.next())
        trace.note("\(clock.now) d\(device.index) dies by \(kind), \(losses.lost) sectors lost, \(losses.torn) torn")
        counts[kind == .power ? .powerLoss : .processCrash] += 1
        counts.add(losses)
        // Roost does not wait for the disk to store what the server delivers again (decision 42).
        if kind == .power {
            checks.mayHaveLostPages(device.index)
            device.reader.rereadJournal()
        }
        if kind == .power, device.durability == .normal {
            device.foreign?.isOwnUncertain = true
            checks.wentBack(device.index)
            mayBeForked(device)
        }
        // Opening recovers the WAL, and may be interrupted too.
        if Int.random(in: 0..<4, using: &random) == 0 { device.disk.die(after: random.next() % 6 + 1) }
        try open(device, kind)
    }

    /// Opens a device's file, while its disk may die.
    func open(_ device: SimulatedDevice, _ kind: SimulatedDisk.Crash) throws {
        do {
            try device.open()
        } catch {
            guard device.disk.isDead else {
                throw Violation(.localCommit, "replica \(device.index) cannot be opened after a crash: \(error)")
            }
            counts[.crashInOpen] += 1
            return try crash(device)
        }
        device.disk.die(after: 0)
        if kind == .power || isHealed {
            // Another program may have written a value that a CHECK refuses.
            let fault = try device.run {
                try device.plainConnection().integrityFault(withChecks: device.foreign == nil)
            }
            if let fault {
                throw Violation(.localCommit, "the file of replica \(device.index) is damaged after a crash: \(fault)")
            }
        }
        try look(at: device)
        if kind == .power, device.durability == .normal { mayBeForked(device) }
    }

    func crashServer() throws {
        server.end()
        // A purge may have reported the disk that has just died, which is no bug. Its report is read before the server
        // restarts.
        try hearReports()
        checks.purge.serverDied()
        held = []
        let losses = server.disk.crash(serverCrash, seed: random.next())
        trace.note("\(clock.now) the server dies by \(serverCrash), \(losses.lost) sectors lost, \(losses.torn) torn")
        counts[serverCrash == .power ? .serverPowerLoss : .serverProcessCrash] += 1
        counts.add(losses)
        queue.add(.serverStart, at: clock.now + Int64.random(in: 50...5000, using: &random))
        breakConnections()
    }

    func startServer() throws {
        guard !server.isRunning else { return }
        do {
            try server.start()
        } catch {
            if server.disk.isDead { return try crashServer() }
            // The disk is full or failing. The operator's supervisor restarts the server later.
            if server.hasDiskFault, !isHealed { queue.add(.serverStart, at: clock.now + 1000); return }
            throw Violation(.acknowledged, "the server does not start after a crash: \(error)")
        }
        try settleUncertain()
        if isPurgeUncertain { try settlePurge() }
        try sawServer()
    }

    /// Finds out which of the pushes in flight the server has stored.
    func settleUncertain() throws {
        guard let store = server.store else { return }
        for message in uncertain {
            if case .recover(let records) = message.request { try settleRecovery(records, store) }
            guard let body = message.request.pushed, let token = try? SimulatedServer.token(message.token) else {
                continue
            }
            let request = try PushRequest(protobuf: body)
            let progress = try store.read { snapshot in
                try snapshot.token(token.hash).map { try snapshot.progress(of: $0.replica, in: scope) }
            }
            guard let progress, progress.number == request.number,
                progress.hash == SHA256Digest.of(body), !progress.reply.isEmpty
            else { continue }
            try note(
                checks.took(
                    body, token: message.token, of: message.device, reply: progress.reply, now: .max >> 20,
                    limits: server.limits, isForeign: devices[message.device].foreign != nil, &ledger))
        }
        uncertain = []
    }

    /// Finds out which records of a recovery request the server has stored before it died.
    private func settleRecovery(_ records: [RecordState], _ store: any Store) throws {
        let view = try ServerView(store, scope)
        for record in records {
            guard let held = view.records[record.key] else { continue }
            if let put = record.put, put.stamp == held.state.put?.stamp {
                try broughtBack(record.key, put, held.sequence)
            }
            if let delete = record.delete, delete == held.state.delete {
                try broughtBack(record.key, delete, held.sequence)
            }
        }
    }
}
