internal import Replica
internal import Roost
internal import RoostModel

/// Replica files that are copied to another device, or taken back to an older state.
extension Simulation {
    /// What a backup tool takes: the file after everything was closed.
    func keepCopy(of device: SimulatedDevice) throws {
        guard !device.isRetired, try closeWell(device) else { return }
        device.keptImage = device.disk.image(of: SimulatedDevice.file)
        device.keptForeign = device.foreign
        try reopen(device)
    }

    /// The file as it was when it was kept takes the place of the present one.
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

    /// The file is copied to a new device, and both go on.
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
        // What its journal and its log say already was looked at there.
        copy.reader = device.reader
        copy.foreign = device.foreign
        devices.append(copy)
        try reopen(copy)
    }

    /// What the device's file holds may be known to the server otherwise, or under the same identity from another file.
    func mayBeForked(_ device: SimulatedDevice) {
        forked.insert(device.index)
        sharedIdentities.insert(device.view.replica)
        checks.hasForks = true
    }

    /// The device's programs are updated, and migrate its file when they open it.
    func migrate(_ device: SimulatedDevice) throws {
        guard !device.isRetired, device.schemaVersion < schemaVersion, try closeWell(device) else { return }
        device.schemaVersion = schemaVersion
        counts[.migrated] += 1
        trace.note("\(clock.now) d\(device.index) migrated to version \(schemaVersion)")
        // Opening may be interrupted, and is begun again then; a disk that fails already is enough for it.
        guard !device.hasDiskFault else { return try reopen(device) }
        device.crash = Bool.random(using: &random) ? .power : .process
        if Int.random(in: 0..<3, using: &random) == 0 { device.disk.die(after: random.next() % 30 + 1) }
        try open(device, .process)
    }

    /// Closes the file as programs do that end; `false` where the disk died over it.
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
            // The disk still fails; it is tried again when it does not.
            device.disk.mend()
            try device.open()
        }
        try look(at: device)
    }
}
