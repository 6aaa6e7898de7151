internal import Replica
internal import Roost
internal import RoostModel

/// Replica files that are copied to another device, or replaced by an older state.
extension Simulation {
    /// Keeps a copy of the file as a backup tool does, with all programs closed.
    func keepCopy(of device: SimulatedDevice) throws {
        guard !device.isRetired, try closeWell(device) else { return }
        device.keptImage = device.disk.image(of: SimulatedDevice.file)
        device.keptForeign = device.foreign
        try reopen(device)
    }

    /// Replaces the file by the kept copy.
    func restore(_ device: SimulatedDevice) throws {
        guard !device.isRetired, let image = device.keptImage, try closeWell(device) else { return }
        counts[.replicaRestored] += 1
        trace.note("\(clock.now) d\(device.index) restored")
        mayBeForked(device)
        checks.wentBack(device.index)
        device.disk.put(image, as: SimulatedDevice.file)
        device.reader = ViewReader()
        device.foreign = device.keptForeign
        try reopen(device)
        mayBeForked(device)
    }

    /// Copies the file to a new device, and continues with both.
    func copy(_ device: SimulatedDevice) throws {
        guard !device.isRetired, devices.count < conditions.isDurable.count, try closeWell(device) else { return }
        let image = device.disk.image(of: SimulatedDevice.file)
        try reopen(device)
        let index = devices.count
        let disk = try SimulatedDisk("d\(index)")
        disk.put(image, as: SimulatedDevice.file)
        device.disk.copyToken(of: SimulatedDevice.file, to: disk)
        let copy = SimulatedDevice(
            index, disk,
            clock: DeviceClock(clock, driftMillionths: conditions.drift[index], offset: conditions.offsets[index]),
            durability: device.durability, schemaVersion: device.schemaVersion, conditions.schema)
        counts[.fileCopied] += 1
        trace.note("\(clock.now) d\(device.index) copied to d\(index)")
        mayBeForked(device)
        forked.insert(index)
        checks.copied(device.index, to: index)
        // The entries of its journal and log were already observed on the original.
        copy.reader = device.reader
        copy.foreign = device.foreign
        devices.append(copy)
        try reopen(copy)
    }

    /// Records that the device's changes may differ from the server's under equal numbers, or that another file may push
    /// under its identity.
    func mayBeForked(_ device: SimulatedDevice) {
        forked.insert(device.index)
        sharedIdentities.insert(device.view.replica)
        checks.hasForks = true
    }

    /// Updates the device's programs, which migrate its file when they open it.
    func migrate(_ device: SimulatedDevice) throws {
        guard !device.isRetired, device.schemaVersion < schemaVersion, try closeWell(device) else { return }
        device.schemaVersion = schemaVersion
        counts[.migrated] += 1
        trace.note("\(clock.now) d\(device.index) migrated to version \(schemaVersion)")
        // Opening may be interrupted, and then starts again. A disk that already fails is fault enough.
        guard !device.hasDiskFault else { return try reopen(device) }
        device.crash = Bool.random(using: &random) ? .power : .process
        if Int.random(in: 0..<3, using: &random) == 0 { device.disk.die(after: random.next() % 30 + 1) }
        try open(device, .process)
    }

    /// Closes the file as programs do on exit; `false` if the disk died.
    private func closeWell(_ device: SimulatedDevice) throws -> Bool {
        device.disk.die(after: 0)
        device.close()
        underWay[device.index] = nil
        return true
    }

    private func reopen(_ device: SimulatedDevice) throws {
        do {
            try device.open()
        } catch {
            guard device.hasDiskFault else {
                throw Violation(.localCommit, "replica \(device.index) cannot be opened: \(error)")
            }
            // The disk still fails. Another attempt follows when it works again.
            device.disk.mend()
            try device.open()
        }
        try look(at: device)
    }
}
