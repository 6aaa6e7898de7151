internal import RoostModel

/// The steps of a seed.
package struct Script: Hashable, Sendable {
    package var conditions: Conditions
    package var steps: [Step]
    /// The positions of the steps in the full script, for a script with some steps left out.
    package var places: [Int]

    /// - Parameter faults: The rare faults of the run; `nil` to draw them.
    package init(seed: UInt64, faults: [RareFault]? = nil, foreign: ForeignChoice = .share) {
        conditions = Conditions(seed: seed, faults: faults, foreign: foreign)
        var random = SplitMix64(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 7)
        var maker = StepMaker(conditions)
        steps = (0..<conditions.steps).map { _ in
            Step(kind: maker.next(using: &random), seed: random.next())
        }
        if conditions.foreign.isEmpty {
            steps = Self.withRepeatedRestores(steps, conditions)
        } else {
            steps = Self.withForeign(steps, conditions)
        }
        places = Array(steps.indices)
    }

    /// Returns the steps with those of foreign programs between them.
    private static func withForeign(_ steps: [Step], _ conditions: Conditions) -> [Step] {
        var random = SplitMix64(state: conditions.seed &* 0xD129_42F0_F42E_31A5 &+ 3)
        let devices = (0..<conditions.replicas).filter { conditions.isForeign[$0] }
        return steps.flatMap { step in
            guard random.next() % 9 < 5, let device = devices.randomElement(using: &random),
                let kind = conditions.foreign.randomElement(using: &random)
            else { return [step] }
            let foreign = Step(kind: .foreign(device: device, kind), seed: random.next())
            guard random.next() % 3 == 0 else { return [step, foreign] }
            // Confirmed records are more at risk than pending changes.
            return [
                step, Step(kind: .synchronise(device: device), seed: random.next()),
                Step(kind: .pass(milliseconds: 2000), seed: random.next()), foreign,
            ]
        }
    }

    /// Returns the steps with a second restore of the backup, in half of the runs that have one. A device that has pushed
    /// since the backup then has a new identity, which the second restore makes the server forget.
    private static func withRepeatedRestores(_ steps: [Step], _ conditions: Conditions) -> [Step] {
        var random = SplitMix64(state: conditions.seed &* 0xA076_1D64_78BD_642F &+ 5)
        guard random.next() % 2 == 0, steps.count(where: { $0.kind == .restoreServer }) == 1 else { return steps }
        return steps.flatMap { step in
            guard step.kind == .restoreServer else { return [step] }
            let device = Int.random(in: 0..<conditions.replicas, using: &random)
            // The pause is long enough to converge: a session that has to resynchronise fully for the fourth time before that
            // waits 15 minutes.
            let exchange: [Step.Kind] = [
                .write(device: device, .library), .synchronise(device: device), .pass(milliseconds: 20_000),
            ]
            let kinds = exchange + [step.kind] + exchange + [step.kind] + exchange
            return kinds.map { Step(kind: $0, seed: random.next()) }
        }
    }

    /// Returns the script with some of its steps only.
    package func keeping(_ places: [Int]) -> Script {
        var script = self
        let kept = zip(self.places, steps).filter { places.contains($0.0) }
        script.places = kept.map(\.0)
        script.steps = kept.map(\.1)
        return script
    }
}

/// Draws the steps of one simulated run.
struct StepMaker {
    private var devices: Int
    private var rare: [RareFault]
    private var made = 0
    /// The number of the step that takes the server's first backup, in a run that restores it later.
    private var firstBackup: Int?
    private var kept: Set<Int> = []
    private var hasBoundEditor = false
    private let store: SimulatedServer.StoreKind
    private let horizonDays: Int

    init(_ conditions: Conditions) {
        devices = conditions.replicas
        store = conditions.store
        horizonDays = conditions.horizonDays
        var random = SplitMix64(state: conditions.seed &+ 99)
        rare = conditions.faults ?? RareFault.usual.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        if !conditions.foreign.isEmpty, conditions.faults == nil {
            rare.removeAll { !ForeignChoice.faults.contains($0) }
        }
        if rare.isEmpty { rare = [.crash] }
        if conditions.faults == nil, conditions.foreign.isEmpty {
            // Drawn from a separate random source, so that most seeds stay unchanged.
            var more = SplitMix64(state: conditions.seed ^ 0x6661_756C_7473)
            rare += RareFault.seldom.filter { _ in Int.random(in: 0..<6, using: &more) == 0 }
        }
        // It takes several purges for a record to be old, and for a device to have been away.
        if rare.contains(.purge) { rare += [.purge, .purge] }
        if rare.contains(.serverRestore) {
            firstBackup = Int.random(in: 1...8, using: &random)
            // A restore only loses changes if there was work since the backup, so that many restores lose nothing.
            rare.append(.serverRestore)
        }
    }

    mutating func next(using random: inout SplitMix64) -> Step.Kind {
        made += 1
        if made == firstBackup { return .backupServer }
        let device = Int.random(in: 0..<devices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: return .write(device: device, writer(using: &random))
        case 40..<60: return .synchronise(device: device)
        case 60..<66: return .keepSynchronised(device: device)
        case 66..<68: return .stop(device: device)
        case 68..<78:
            return .pass(milliseconds: [10, 300, 2000, 20_000, 120_000][Int.random(in: 0..<5, using: &random)])
        case 78: return .replay
        case 79: return .forge
        default: return fault(device, using: &random)
        }
    }

    private func writer(using random: inout SplitMix64) -> Step.Writer {
        [.library, .library, .otherProcess, .plainSQL][Int.random(in: 0..<4, using: &random)]
    }

    private mutating func fault(_ device: Int, using random: inout SplitMix64) -> Step.Kind {
        func number(_ range: ClosedRange<UInt64>) -> UInt64 { UInt64.random(in: range, using: &random) }
        switch rare[Int.random(in: 0..<rare.count, using: &random)] {
        case .crash: return .crash(device: device, after: number(1...16), .process)
        case .powerLoss: return .crash(device: device, after: number(1...16), .power)
        case .serverCrash:
            guard store == .sqlite else { return .pass(milliseconds: 1000) }
            return .crashServer(after: number(1...10), number(0...1) == 0 ? .process : .power)
        case .cut:
            return [.cut(device: device), .halfOpen(device: device), .reconnect(device: device)][Int(number(0...2))]
        case .clock:
            let jumps: [Int64] = [
                1000, -1000, 60_000, -60_000, 600_000, -600_000, 86_400_000, -86_400_000, 315_360_000_000,
                -315_360_000_000,
            ]
            return .jump(device: device, milliseconds: jumps[Int(number(0...9))])
        case .disk:
            if store == .sqlite, number(0...2) == 0 {
                return .failServerDisk(after: number(1...5), count: number(1...5))
            }
            return .failDisk(device: device, after: number(1...12), count: number(1...10))
        case .schema: return .publishSchema
        case .joining:
            guard devices < 8 else { return .pass(milliseconds: 500) }
            devices += 1
            return .join
        case .copies:
            switch number(0...3) {
            case 0:
                guard devices < 8 else { return .keepCopy(device: device) }
                devices += 1
                return .copy(device: device)
            default:
                if kept.insert(device).inserted { return .keepCopy(device: device) }
                return .restore(device: device)
            }
        case .serverRestore:
            return number(0...3) == 0 ? .backupServer : .restoreServer
        case .purge:
            let days = [
                0, horizonDays / 2 + 1, horizonDays + 1, horizonDays + 1, horizonDays + 1, 3 * horizonDays + 31,
            ]
            return .purge(afterDays: days[Int(number(0...5))])
        case .serverClock:
            let jumps: [Int64] = [2, 60, 900, 7200, 72_000, 90_000, 2_592_000, 17_280_000]
            return .jumpServer(milliseconds: jumps[Int(number(0...7))] * (number(0...1) == 0 ? 1000 : -1000))
        case .bodyLimits:
            guard number(0...3) > 0 else { return .liftBodyLimit(device: device) }
            return .limitBodies(
                device: device, bytes: [100, 150, 200, 300][Int(number(0...3))], isSlow: number(0...2) == 0)
        case .fullDisk:
            if store == .sqlite, number(0...2) == 0 {
                return .failServerDisk(after: number(1...5), count: number(20...200))
            }
            return .failDisk(device: device, after: number(1...12), count: number(20...400))
        case .emptyServer: return .emptyServer(milliseconds: Int64(number(100...120_000)))
        case .halfServer: return .startHalfServer(thousandths: Int(number(0...999)))
        case .boundEditor:
            // The day of an editor at the bound has many sessions: one is enough.
            guard !hasBoundEditor else { return .pass(milliseconds: 1000) }
            hasBoundEditor = true
            return .editAtBound(device: device)
        case .tooLarge: return .writeTooLarge(device: device, writer(using: &random))
        }
    }
}
