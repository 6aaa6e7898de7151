internal import RoostModel
internal import Synchronization

/// What was written and acknowledged, kept outside every replica.
final class KillBook: Sendable {
    private struct State {
        /// The last pair that each device is known to have committed.
        var committed: [Int]
        /// The last pair of each device that the server has acknowledged for sure.
        var acknowledged: [Int]
        /// Devices that still write.
        var writing: Int
        var stamps: [RecordKey: HybridTimestamp] = [:]
        var edits = 0
        var snapshots = 0
        var kills = 0
        var serverKills = 0
        var underWay = 0
        var pauses: [Paused: Int] = [:]
        /// What is in each device's journal, and the most that one of them has hidden.
        var beaten: [Int]
        var hidden = 0
    }

    /// What was stopped for a while.
    enum Paused: String, CaseIterable, Sendable { case writer, sync, daemon, server }

    private let state: Mutex<State>
    private let patience: Patience

    /// - Parameter patienceSeconds: How long the devices go on beyond their pairs.
    init(devices: Int, patienceSeconds: Double) {
        patience = Patience(seconds: patienceSeconds)
        state = Mutex(
            State(
                committed: Array(repeating: 0, count: devices), acknowledged: Array(repeating: 0, count: devices),
                writing: devices, beaten: Array(repeating: 0, count: devices)))
    }

    static func author(_ device: Int) -> String { "d\(device)" }

    func commit(_ device: Int, upTo number: Int) {
        state.withLock { $0.committed[device] = max($0.committed[device], number) }
    }

    func committed(_ device: Int) -> Int { state.withLock { $0.committed[device] } }

    /// A sync of the device ended well that began when it had committed up to `number`.
    func synchronised(_ device: Int, upTo number: Int) {
        state.withLock { $0.acknowledged[device] = max($0.acknowledged[device], number) }
    }

    var acknowledgedPairs: Set<PairName> { Self.names(state.withLock { $0.acknowledged }) }

    func endedWriting() { state.withLock { $0.writing -= 1 } }
    var isWriting: Bool { state.withLock { $0.writing > 0 } }

    func edited(_ count: Int) { state.withLock { $0.edits += count } }
    func looked() { state.withLock { $0.snapshots += 1 } }

    func killed(isServer: Bool) {
        state.withLock { state in
            state.kills += 1
            if isServer { state.serverKills += 1 }
        }
    }

    func paused(_ what: Paused) { state.withLock { $0.pauses[what, default: 0] += 1 } }
    func pauses(of what: Paused) -> Int { state.withLock { $0.pauses[what] ?? 0 } }

    /// Who synchronised was killed with a push under way.
    func leftPush() { state.withLock { $0.underWay += 1 } }
    var pushesLeft: Int { state.withLock { $0.underWay } }

    /// A device had so much in its journal and hidden when it was looked at.
    func saw(_ device: Int, beaten: Int, hidden: Int) {
        state.withLock { state in
            state.beaten[device] = max(state.beaten[device], beaten)
            state.hidden = max(state.hidden, hidden)
        }
    }

    /// The most records that a device had hidden when it was looked at.
    var hidden: Int { state.withLock { $0.hidden } }

    /// Whether something that happens by chance has not happened often enough, and there is time to go on for it.
    func lacks(_ amounts: KillAmounts) -> Bool {
        let state = state.withLock { $0 }
        let isLacking =
            state.beaten.reduce(0, +) < amounts.devices || state.hidden < amounts.devices
            || state.underWay < amounts.pausesLeast
            || Paused.allCases.contains { $0 != .server && state.pauses[$0] ?? 0 < amounts.pausesLeast }
        return isLacking && patience.isLeft
    }

    /// Slots that a replica held after a sync that ended well: the server had acknowledged them.
    func acknowledged(_ slots: [RecordKey: SlotStamps]) {
        state.withLock { state in
            for (key, slots) in slots {
                let newest = [state.stamps[key], slots.put?.stamp, slots.delete].compactMap { $0 }.max()
                state.stamps[key] = newest
            }
        }
    }

    var acknowledgedStamps: [RecordKey: HybridTimestamp] { state.withLock { $0.stamps } }
    var edits: Int { state.withLock { $0.edits } }
    var snapshots: Int { state.withLock { $0.snapshots } }
    var kills: Int { state.withLock { $0.kills } }
    var serverKills: Int { state.withLock { $0.serverKills } }

    var writtenPairs: Set<PairName> { Self.names(state.withLock { $0.committed }) }

    private static func names(_ last: [Int]) -> Set<PairName> {
        Set(
            last.enumerated().flatMap { device, last in
                (0..<last).map { PairName(author: Self.author(device), number: $0 + 1) }
            })
    }
}
