internal import Replica
internal import Roost
internal import RoostModel
internal import Session

/// One device: a replica file on a disk of its own, the programs that have it open, and what was done there.
final class SimulatedDevice {
    static let file = "replica.roost"

    /// How the device reaches the server.
    enum Link: Hashable {
        case up
        /// Every request fails at once.
        case down
        /// Requests vanish, and so do answers: only the time-out tells.
        case halfOpen
    }

    let index: Int
    let disk: SimulatedDisk
    let clock: DeviceClock
    let durability: Durability
    /// The version of the schema that its programs are of: a file of an earlier one is migrated when it is opened.
    var schemaVersion: Int
    private let schema: SampleSchema.Kind

    private(set) var replica: Replica?
    /// The same file, opened by another process.
    private(set) var other: Replica?
    private(set) var plain: PlainConnection?
    private var looking: ForeignConnection?
    var driver: SyncDriver?
    /// Grows with each session and each crash: answers to older ones mean nothing.
    var generation = 0
    var timer: Moment?

    var link = Link.up
    /// The limit of bodies on the way to the server; `nil` where all get through.
    var uplink: Simulation.Uplink?
    /// Whether its session is continuous.
    var isContinuous = false
    /// Whether a server without its data has answered this session.
    var wasUnrecognised = false
    /// How the next death of the disk is to leave it.
    var crash = SimulatedDisk.Crash.process

    /// Whether its disk was made to fail, so that calls may say so.
    var hasDiskFault = false

    /// What other programs have made in the file; `nil` where none writes it.
    var foreign: ForeignDevice?

    var reader = ViewReader()
    var view = ReplicaView()
    var viewedOperations: UInt64?
    /// An older image of the file, as a backup tool took it.
    var keptImage: SimulatedDisk.Image?
    var keptForeign: ForeignDevice?
    /// Whether nobody uses the file any more: a server that was put back has never heard of it.
    var isRetired = false
    /// Whether its user joins again with the file, and does not give it up.
    var joinsAgain = false
    /// The device that took its place.
    var successor: Int?

    /// What `body` makes of the session's driver; `nil` where there is no session.
    func withDriver<Result>(_ body: (inout SyncDriver) throws -> Result) rethrows -> Result? {
        guard driver != nil else { return nil }
        return try body(&driver!)
    }

    init(
        _ index: Int, _ disk: SimulatedDisk, clock: DeviceClock, durability: Durability, schemaVersion: Int,
        _ schema: SampleSchema.Kind
    ) {
        self.index = index
        self.disk = disk
        self.clock = clock
        self.durability = durability
        self.schemaVersion = schemaVersion
        self.schema = schema
    }

    var path: String { disk.path(Self.file) }
    var isOpen: Bool { replica != nil }

    /// Runs `body` with SQLite's clock as this device has it.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try SimulatedDisk.at(clock.wall, body)
    }

    func open() throws {
        disk.placeMarks(for: Self.file)
        if schemaVersion > 1 { try migrate() }
        replica = try makeReplica()
    }

    private func migrate() throws {
        let plan = MigrationPlan(to: try Schema(json: SampleSchema.text(version: schemaVersion, schema)))
        try run { _ = try Replica.migrate(at: path, by: plan, durability: durability) { [clock] in clock.wall } }
    }

    private func makeReplica() throws -> Replica {
        try run { try Replica(opening: path, durability: durability) { [clock] in clock.wall } }
    }

    /// The replica as the program that writes with the library has it.
    func writer(otherProcess: Bool) throws -> Replica? {
        guard otherProcess else { return replica }
        if other == nil { other = try makeReplica() }
        return other
    }

    func plainConnection() throws -> PlainConnection {
        if let plain { return plain }
        let made = try PlainConnection(path)
        // Without it, REPLACE leaves the user's own derived tables wrong by itself.
        if foreign != nil { _ = try made.select("PRAGMA recursive_triggers = 1") }
        plain = made
        return made
    }

    /// Reads what other programs have made. It stays open: reading such a file's long schema again took a fifth of a seed's time.
    func lookingConnection() throws -> ForeignConnection {
        if let looking { return looking }
        let made = try ForeignConnection(path)
        looking = made
        return made
    }

    /// Ends the session and lets go of the file; what the programs had open is closed, or dead with the disk.
    func close() {
        driver = nil
        timer = nil
        generation += 1
        run {
            try? other?.close()
            try? replica?.close()
        }
        other = nil
        plain = nil
        looking = nil
        replica = nil
        viewedOperations = nil
    }
}
