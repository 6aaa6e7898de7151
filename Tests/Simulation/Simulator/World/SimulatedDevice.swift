internal import Replica
internal import Roost
internal import RoostModel
internal import Session

/// One device: a replica file on its own disk, the programs that have it open, and their operations.
final class SimulatedDevice {
    static let file = "replica.roost"

    /// The state of the network between the device and the server.
    enum Link: Hashable {
        case up
        /// Every request fails at once.
        case down
        /// Requests and answers are lost, which only a time-out reveals.
        case halfOpen
    }

    let index: Int
    let disk: SimulatedDisk
    let clock: DeviceClock
    let durability: Durability
    /// The schema version of its programs. They migrate a file of an earlier version when they open it.
    var schemaVersion: Int
    private let schema: SampleSchema.Kind
    /// The form of the identifiers in the file.
    var identifiers = IdentifierForm.bytes

    private(set) var replica: Replica?
    /// The file as opened by another process.
    private(set) var other: Replica?
    private(set) var plain: PlainConnection?
    private var looking: ForeignConnection?
    var driver: SyncDriver?
    /// A number that grows with each session and each crash. Answers to older generations are ignored.
    var generation = 0
    var timer: Moment?

    var link = Link.up
    /// The limit of bodies on the way to the server; `nil` for none.
    var uplink: Simulation.Uplink?
    /// Whether its session is continuous.
    var isContinuous = false
    /// Whether a server without its data has answered this session.
    var wasUnrecognised = false
    /// The kind of crash at the next death of the disk.
    var crash = SimulatedDisk.Crash.process

    /// Whether the disk was made to fail, which allows calls to throw.
    var hasDiskFault = false

    /// The state of other programs in the file; `nil` if none writes it.
    var foreign: ForeignDevice?

    var reader = ViewReader()
    var view = ReplicaView()
    var viewedOperations: UInt64?
    /// An older image of the file, as taken by a backup tool.
    var keptImage: SimulatedDisk.Image?
    var keptForeign: ForeignDevice?
    /// Whether the file is no longer used: a restored server does not know it.
    var isRetired = false
    /// Whether the user joins again with the file instead of discarding it.
    var joinsAgain = false
    /// The index of the device that replaced this one.
    var successor: Int?

    /// Returns the result of `body` for the session's driver; `nil` if there is no session.
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

    /// Runs `body` with SQLite's clock set to this device's.
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

    /// Returns the replica through which a program writes with the library.
    func writer(otherProcess: Bool) throws -> Replica? {
        guard otherProcess else { return replica }
        if other == nil { other = try makeReplica() }
        return other
    }

    func plainConnection() throws -> PlainConnection {
        if let plain { return plain }
        let made = try PlainConnection(path)
        // Without `recursive_triggers`, REPLACE by itself makes the user's own derived tables wrong.
        if foreign != nil { _ = try made.select("PRAGMA recursive_triggers = 1") }
        plain = made
        return made
    }

    /// Returns the connection that reads the work of other programs. It stays open: parsing such a file's long schema again
    /// took a fifth of a seed's time.
    func lookingConnection() throws -> ForeignConnection {
        if let looking { return looking }
        let made = try ForeignConnection(path)
        looking = made
        return made
    }

    /// Ends the session and closes the file's connections, which are dead if the disk is.
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
