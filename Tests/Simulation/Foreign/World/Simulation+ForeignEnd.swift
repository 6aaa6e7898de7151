internal import Replica
internal import Roost
internal import RoostModel
internal import Session

/// The checks of foreign programs' writes after faults have stopped.
extension Simulation {
    var hasForeign: Bool { !conditions.foreign.isEmpty }

    /// Compares rows with facts, as `roost check` does, where only a comparison finds the writes.
    ///
    /// - Returns: Whether it found a difference, which the next synchronisation resolves.
    @discardableResult func compareForeign() throws -> Bool {
        var hasFound = false
        for device in devices where !device.isRetired {
            guard let replica = device.replica, let foreign = device.foreign else { continue }
            do {
                try device.run {
                    if foreign.hasUntracked {
                        counts.foreign["compared", default: 0] += 1
                        let check = try replica.check()
                        if check.adopted > 0 || check.isRepaired { hasFound = true }
                    }
                    // The user states that the rows were not meant to be deleted.
                    if try replica.status().missing > 0, try replica.restoreMissing() > 0 { hasFound = true }
                }
            } catch let violation as Violation {
                throw violation
            } catch {
                throw Violation(.committedWrite, "replica \(device.index) cannot be compared: \(error)")
            }
            try wrote(device)
        }
        return hasFound
    }

    /// Checks after convergence that nothing was lost, all replicas are equal to the byte, and the user's own objects are
    /// intact.
    func endForeign() async throws {
        for device in devices where !device.isRetired { try checkUsersOwn(device) }
        let images = try devices.filter { !$0.isRetired }.map { device in
            let tables = tables(of: device)
            return (device.index, try device.run { try FileImage(try ForeignConnection(device.path), tables) }, tables)
        }
        try SameBytesChecker.check(images, ledger)
        for device in devices where device.foreign != nil && !device.isRetired {
            let mode = try device.run { try ForeignConnection(device.path).rows("PRAGMA journal_mode") }
            guard mode.first?.first?.string == "wal" else {
                throw Violation(.committedWrite, "replica \(device.index) stays without a write-ahead log")
            }
        }
        for (index, image, _) in images where image.unfit.isEmpty && devices[index].foreign != nil {
            let device = devices[index]
            try checks.derivation.check(
                device.view, version: device.schemaVersion, ledger, isForeign: true,
                journaled: checks.foreign?.journals[index]?.refused ?? []
            ) { key in
                try device.run { try device.replica?.content(of: key) }
            }
        }
        if let oracle = checks.foreign {
            try LostWriteChecker.check(oracle, ledger, ForeignTable.all(version: SampleSchema.versions))
        }
        try await checkIdle()
    }

    /// Checks that another round sends nothing: no user program or trigger keeps the devices busy.
    private func checkIdle() async throws {
        let accepted = counts[.accepted]
        for device in devices { try startSession(device, .once(attemptsMax: 3)) }
        try await pass(until: clock.now + 5000)
        for device in devices where !device.isRetired {
            try look(at: device)
            guard device.view.outbox.isEmpty, device.view.sealedPushes == 0 else {
                throw Violation(
                    .progress, "replica \(device.index) has pending changes again after everything had converged")
            }
        }
        guard counts[.accepted] == accepted else {
            throw Violation(
                .progress, "\(counts[.accepted] - accepted) changes arrive after everything had converged")
        }
    }

    /// Checks that the user's own columns, tables, triggers and indexes exist and have the expected values.
    func checkUsersOwn(_ device: SimulatedDevice) throws {
        guard let foreign = device.foreign, !foreign.isLayoutBroken else { return }
        let tables = tables(of: device)
        try device.run {
            let connection = try device.lookingConnection()
            let image = try FileImage(connection, tables)
            if foreign.isOwnUncertain {
                device.foreign?.isOwnUncertain = false
                device.foreign?.own.see(image, tables)
                return
            }
            try UsersOwnChecker.check(image, foreign.own, tables, device: device.index) {
                ledger.purged[$0] != nil || ledger.records[$0] == nil
            }
            try DerivedTableChecker.check(connection, foreign.own, tables, device: device.index)
        }
    }
}
