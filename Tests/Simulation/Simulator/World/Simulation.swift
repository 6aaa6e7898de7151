internal import Replica
internal import Roost
internal import RoostModel
internal import RoostProtocol
internal import RoostService
internal import Session

/// A simulated run of replicas, their server and the network between them, in one thread and from one seed.
///
/// The replicas, the session, the service and the stores are the real ones. The network (``send(_:from:)``), the disks
/// (``SimulatedDisk``) and the clocks (``DeviceClock``) are simulated.
package final class Simulation {
    let script: Script
    let conditions: Conditions
    let clock = VirtualClock()
    let server: SimulatedServer
    var scope = ScopeKey(0)
    var owner: Principal?
    var devices: [SimulatedDevice] = []
    var queue = EventQueue()
    /// The random source for the details of a step. Each step starts it from its own seed.
    var random: SplitMix64
    var messageCount = 0
    /// The message in flight of each lane of each device.
    var underWay: [Int: [SyncLane: Message]] = [:]
    /// Sent messages, for late repetitions.
    var sent: [Message] = []
    /// Messages that the server rightly refused because it was restored or its disk failed.
    var explained: Set<Int> = []
    /// Pulls that the server holds.
    var held: [Message] = []
    /// Whether the faults of messages have stopped.
    var isHealed = false
    var schemaVersion = 1
    /// Pushes of which it is unknown whether the server stored them.
    var uncertain: [Message] = []
    /// Devices that the server may take for forked: their file was copied, or is older than before.
    var forked: Set<Int> = []
    /// Identities under which two files may have pushed.
    var sharedIdentities: Set<ReplicaID> = []
    var serverOperations: UInt64 = 0
    var writeCount = 0
    var serverCrash = SimulatedDisk.Crash.process
    /// The token of a device that only sends changes in the names of others.
    var intruder: String?
    /// Whether it is unknown which records a purge has taken.
    var isPurgeUncertain = false
    /// Devices that could not join because the server failed.
    var missingDevices = 0
    /// The backups of the server's store, oldest first.
    var backups: [ServerBackup] = []
    /// Devices whose users wait to join again.
    var retired: [SimulatedDevice] = []

    var ledger = Ledger()
    var checks: Checks
    package var counts = Counts()
    /// The time by which the server's clock has gained through jumps too short to be noticed, in milliseconds.
    var serverLead: Int64 = 0
    /// The end of the time in which the server runs without its data.
    var emptyUntil: Int64 = 0
    /// The end of the longest pause for which a server that could not write has asked a device.
    var pausedUntil: Int64 = 0
    package var trace: Trace
    let images: SampleImages

    package init(_ script: Script, images: SampleImages, keepsLines: Bool = false) throws {
        self.script = script
        self.images = images
        conditions = script.conditions
        schemaVersion = conditions.schemaVersion
        trace = Trace(keepsLines: keepsLines)
        random = SplitMix64(state: conditions.seed)
        checks = try Checks(conditions)
        SimulatedDisk.setRandom(conditions.seed)
        var limits = Limits()
        limits.pageBytesMax = conditions.pageBytes
        limits.changesPerPushMax = conditions.changesPerPush
        limits.horizonDays = conditions.horizonDays
        limits.putBytesMax = OperationMaker.largeBytes
        limits.currentBytesMax = limits.putBytesMax + conditions.currentBytes
        limits.bodyBytesMax = conditions.bodyBytes
        limits.recordsPerRecoverMax = conditions.recordsPerRecover
        limits.changesPerTransactionMax = conditions.changesPerTransaction
        limits.transactionBytesMax = limits.putBytesMax + conditions.transactionBytes
        limits.recordsPerPurgeMax = conditions.recordsPerPurge
        limits.namesPerSequenceMax = conditions.namesPerSequence
        let serverClock = DeviceClock(clock, driftMillionths: 0, offset: 0)
        server = try SimulatedServer(
            conditions.store, try SimulatedDisk("server"), clock: serverClock, limits: limits, seed: conditions.seed)
    }

    /// Runs the script, ends the faults, and checks the final state.
    ///
    /// - Throws: ``Violation`` for a violated promise.
    package func run() async throws {
        defer { end() }
        counts[.seeds] += 1
        if !conditions.foreign.isEmpty { counts[.foreignSeeds] += 1 }
        if checks.dividesTransactions { counts[.transactionsDivided] += 1 }
        try await settle()
        for (place, step) in zip(script.places, script.steps) {
            random = SplitMix64(state: step.seed)
            trace.note("\(clock.now) step \(place): \(step)")
            counts[.steps] += 1
            try await perform(step)
            try await pass(until: clock.now + 5)
            try await replaceRetired()
        }
        try await heal()
        trace.note("end", checks.lastDigest)
    }

    /// Creates the scope, and lets the first devices join it.
    private func settle() async throws {
        guard let service = server.service else { return }
        let registration = try await service.createScope(
            name: "simulation", device: "0",
            schema: SampleSchema.text(version: conditions.schemaVersion, conditions.schema),
            nonce: "nonce of the scope")
        let member = try await service.member(try SimulatedServer.token(registration.token))
        owner = member
        scope = member.scope
        try add(registration, schemaVersion: conditions.programVersions[0])
        for version in conditions.programVersions.dropFirst() { try await join(version: version) }
        counts[.oldSchemaReplica] += devices.count { $0.schemaVersion < schemaVersion }
    }

    /// Lets a new device join.
    ///
    /// - Parameter version: The schema version of its programs; `nil` for the scope's current one.
    func join(version: Int? = nil) async throws {
        guard let service = server.service, let owner else { return }
        let invite = try await service.createInvite(role: .editor, hours: nil, uses: 1, by: owner)
        let registration = try await service.join(
            invite: try SimulatedServer.token(invite.token ?? ""), device: "\(devices.count)",
            nonce: "nonce of device \(devices.count)")
        try add(registration, schemaVersion: version ?? schemaVersion)
    }

    private func add(_ registration: Registration, schemaVersion: Int) throws {
        let index = devices.count
        // With devices that join in place of others, there may be more than the conditions provide for.
        let place = index % conditions.drift.count
        let disk = try SimulatedDisk("d\(index)")
        let identifiers = conditions.identifiers(index)
        disk.put(images.image(version: schemaVersion, conditions.schema, identifiers), as: SimulatedDevice.file)
        let device = SimulatedDevice(
            index, disk,
            clock: DeviceClock(clock, driftMillionths: conditions.drift[place], offset: conditions.offsets[place]),
            durability: conditions.isDurable[place] ? .full : .normal, schemaVersion: schemaVersion, conditions.schema)
        device.foreign = foreignDevice(index)
        device.identifiers = identifiers
        if identifiers == .text { counts[.textIdentifiers] += 1 }
        try device.open()
        try device.run {
            try device.replica?.join(
                Membership(
                    scope: registration.scope, scopeName: registration.scopeName, replica: registration.replica,
                    server: "http://127.0.0.1:1", token: registration.token, role: registration.role,
                    deviceName: "\(index)"))
        }
        // Without the sync, a power failure could make the device join again.
        disk.sync()
        devices.append(device)
        if conditions.drift[place] != 0 { counts[.clockDrift] += 1 }
        try look(at: device)
    }

    // MARK: Time

    /// Lets time pass, and handles all events that are due.
    func pass(until end: Int64) async throws {
        while let time = queue.nextTime, time <= end, let next = queue.next() {
            clock.now = max(clock.now, time)
            counts[.events] += 1
            try await happen(next.event)
        }
        clock.now = max(clock.now, end)
    }

    /// Returns `true` with a chance in a thousand, unless the faults have stopped.
    func chance(_ permille: Int) -> Bool {
        !isHealed && permille > 0 && Int.random(in: 0..<1000, using: &random) < permille
    }

    private func end() {
        for disk in devices.map(\.disk) {
            counts[.diskFull] += disk.failures(isFull: true)
            counts[.diskFailure] += disk.failures(isFull: false)
        }
        counts[.tooLarge] += checks.ownWrites.tooLarge
        counts[.stampedAtBound] += checks.clockBound.atBound
        counts[.serverDiskFull] += server.disk.failures(isFull: true)
        counts[.serverDiskFailure] += server.disk.failures(isFull: false)
        for device in devices { device.close() }
        server.end()
    }
}
