internal import RoostModel

/// The conditions of a simulated run before its first step, drawn from the seed.
package struct Conditions: Hashable, Sendable {
    package var seed: UInt64
    package var replicas: Int
    var store: SimulatedServer.StoreKind
    /// Chances per thousand.
    var requestLoss: Int
    var replyLoss: Int
    var duplication: Int
    /// The maximum delay of a message, in milliseconds.
    var delayMost: Int64
    /// Limits; small ones make many pages and pushes of several parts.
    var pageBytes: Int
    var changesPerPush: Int
    /// The maximum bytes of `current` in a reply beyond one put.
    var currentBytes: Int
    /// The maximum bytes of a body, and the maximum records in a request that brings back records the server has lost.
    var bodyBytes: Int
    var recordsPerRecover: Int
    /// The maximum changes and bytes of one transaction. A client divides larger ones.
    var changesPerTransaction: Int
    var transactionBytes: Int
    /// The maximum records that one commit of a purge removes, and the maximum identifiers of purged records under one
    /// sequence.
    var recordsPerPurge: Int
    var namesPerSequence: Int
    var drift: [Int64]
    var offsets: [Int64]
    var isDurable: [Bool]
    var steps: Int
    var horizonDays: Int
    var schema: SampleSchema.Kind
    /// The initial version of the scope's schema.
    var schemaVersion: Int
    /// The schema versions of the programs on the first devices, which may be older.
    var programVersions: [Int]
    /// The rare faults of the run; `nil` to draw them.
    package var faults: [RareFault]?
    /// Returns the form of the identifiers in a device's file: text in some files of the full schema, next to others with bytes.
    /// It takes no draw, so that a seed's other conditions stay as they are.
    func identifiers(_ device: Int) -> IdentifierForm {
        guard schema == .full, foreign.isEmpty else { return .bytes }
        return (seed &+ UInt64(device)).isMultiple(of: 4) ? .text : .bytes
    }

    /// The kinds that foreign programs draw from; empty in most ordinary seeds.
    package var foreign: [ForeignKind]
    /// Whether foreign programs write the file, by device.
    var isForeign: [Bool]
    /// The choice of seeds with foreign programs, and of their kinds.
    package var choice: ForeignChoice

    package init(seed: UInt64, faults: [RareFault]? = nil, foreign choice: ForeignChoice = .share) {
        var random = SplitMix64(state: seed &* 0x2545_F491_4F6C_DD1D &+ 1)
        func pick<Item>(_ items: [Item]) -> Item { items[Int.random(in: 0..<items.count, using: &random)] }
        self.seed = seed
        self.faults = faults
        replicas = pick([2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6])
        store = pick([.memory, .sqlite, .sqlite])
        requestLoss = pick([0, 0, 50, 150, 300])
        replyLoss = pick([0, 50, 150, 300])
        duplication = pick([0, 50, 200, 500])
        delayMost = pick([20, 200, 3000])
        pageBytes = pick([300, 1500, 4 << 20])
        changesPerPush = pick([3, 8, 1000])
        drift = (0..<12).map { _ in pick([0, 0, 200, -200, 20_000, -20_000]) }
        offsets = (0..<12).map { _ in pick([0, 0, 0, 1500, -1500, 90_000, -90_000, 3_600_000, -3_600_000]) }
        isDurable = (0..<12).map { _ in pick([true, true, false]) }
        steps = Int.random(in: 12...32, using: &random)
        horizonDays = pick([90, 40, 10, 1])
        schema = pick([.full, .full, .full, .plain])
        schemaVersion = pick([1, 2, 3, 3])
        let versions = Array(1...schemaVersion)
        programVersions = (0..<replicas).map { _ in pick(versions) }
        // Drawn from a separate random source, so that all other draws of a seed stay unchanged.
        var limits = SplitMix64(state: seed ^ 0x6C69_6D69_7473)
        func draw<Item>(_ items: [Item]) -> Item { items[Int.random(in: 0..<items.count, using: &limits)] }
        pageBytes = draw([pageBytes, pageBytes, pageBytes, 1])
        currentBytes = draw([4 << 20, 4 << 20, 2000])
        bodyBytes = draw([4 << 20, 4 << 20, 4096])
        recordsPerRecover = draw([1000, 1000, 2])
        changesPerTransaction = draw([100_000, 100_000, 100_000, 100_000, 100_000, 4])
        transactionBytes = draw([12 << 20, 12 << 20, 12 << 20, 12 << 20, 12 << 20, 2000])
        recordsPerPurge = draw([1000, 3, 1])
        namesPerSequence = draw([48, 2, 1])
        self.choice = choice
        foreign = choice.kinds(of: seed)
        isForeign = choice.devices(of: seed, replicas: replicas)
        if !foreign.isEmpty { schema = .foreign }
    }
}
