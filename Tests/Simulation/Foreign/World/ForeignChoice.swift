internal import RoostModel

/// The choice of seeds with foreign programs, and of their kinds.
package enum ForeignChoice: Hashable, Sendable {
    /// One seed in eight, with all kinds.
    case share
    /// Every seed, with these kinds.
    case every([ForeignKind])

    /// The rare faults that simulated runs with foreign programs draw from.
    static let faults: [RareFault] = [.crash, .serverCrash, .cut, .clock, .schema, .joining, .purge]

    /// Draws one to four kinds, so that the effects of one do not hide those of another.
    func kinds(of seed: UInt64) -> [ForeignKind] {
        var random = SplitMix64(state: seed &* 0x9FB2_1C65_1E98_DF25 &+ 11)
        switch self {
        case .share:
            guard random.next() % 8 == 0 else { return [] }
            return Self.draw(ForeignKind.allCases, using: &random)
        case .every(let kinds): return Self.draw(kinds, using: &random)
        }
    }

    private static func draw(_ kinds: [ForeignKind], using random: inout SplitMix64) -> [ForeignKind] {
        let count = [1, 1, 2, 2, 3, 4][Int(random.next() % 6)]
        return Array(kinds.shuffled(using: &random).prefix(count))
    }

    /// Draws for each device whether foreign programs write its file. At least one of the first `replicas` devices has them.
    func devices(of seed: UInt64, replicas: Int) -> [Bool] {
        var random = SplitMix64(state: seed &* 0xA24B_AED4_963E_E407 &+ 13)
        var devices = (0..<12).map { _ in random.next() % 3 != 0 }
        devices[Int(random.next() % UInt64(replicas))] = true
        return devices
    }

    /// The flags for `scripts/simulate`.
    package var flags: String {
        switch self {
        case .share: ""
        case .every(let kinds):
            " --foreign"
                + (kinds == ForeignKind.allCases
                    ? "" : " --foreign-kinds \(kinds.map(\.rawValue).joined(separator: ","))")
        }
    }
}

extension Simulation {
    /// Returns the state of the foreign programs in a device's file; `nil` if none writes it.
    func foreignDevice(_ index: Int) -> ForeignDevice? {
        guard !conditions.foreign.isEmpty, conditions.isForeign[index % conditions.isForeign.count] else { return nil }
        return ForeignDevice(
            conditions.foreign, ForeignTable.all(version: 1), seed: conditions.seed &* 131 &+ UInt64(index))
    }
}
