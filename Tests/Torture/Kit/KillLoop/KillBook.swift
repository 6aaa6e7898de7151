internal import RoostModel
internal import Synchronization

/// The record of written and acknowledged pairs, kept outside of every replica.
final class KillBook: Sendable {
    private struct State {
        /// The last pair that each device is known to have committed.
        var committed: [Int]
        /// The last pair of each device that the server has certainly acknowledged.
        var acknowledged: [Int]
        /// The number of devices that still write.
        var writing: Int
        var stamps: [RecordKey: HybridTimestamp] = [:]
        var edits = 0
        var snapshots = 0
        var kills = 0
        var serverKills = 0
        var underWay = 0
        var pauses: [Paused: Int] = [:]
        /// The number of beaten entries in each device's journal, and the greatest number of hidden records on one.
        var beaten: [Int]
        var hidden = 0
    }

    /// The kind of program that was stopped for a while.
    enum Paused: String, CaseIterable, Sendable { case writer, sync, daemon, server }

    private let state: Mutex<State>
    private let patience: Patience

    /// - Parameter patienceSeconds: The time for which the devices may continue after their pairs.
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

    /// Records a successful sync of a device that had committed up to `number` when it started.
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

    /// Records that a synchronising program was killed with a push in flight.
    func leftPush() { state.withLock { $0.underWay += 1 } }
    var pushesLeft: Int { state.withLock { $0.underWay } }

    /// Records the numbers of journal entries and hidden records observed on a device.
    func saw(_ device: Int, beaten: Int, hidden: Int) {
        state.withLock { state in
            state.beaten[device] = max(state.beaten[device], beaten)
            state.hidden = max(state.hidden, hidden)
        }
    }

    /// The greatest number of hidden records observed on a device.
    var hidden: Int { state.withLock { $0.hidden } }

    /// Returns whether an event of chance has been too rare, with time left to wait for more.
    func lacks(_ amounts: KillAmounts) -> Bool {
        let state = state.withLock { $0 }
        let isLacking =
            state.beaten.reduce(0, +) < amounts.devices || state.hidden < amounts.devices
            || state.underWay < amounts.pausesLeast
            || Paused.allCases.contains { $0 != .server && state.pauses[$0] ?? 0 < amounts.pausesLeast }
        return isLacking && patience.isLeft
    }

    /// Records the confirmed slots of a replica after a successful sync: the server had acknowledged them.
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
