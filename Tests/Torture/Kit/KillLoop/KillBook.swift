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
    }

    /// What was stopped for a while.
    enum Paused: String, CaseIterable, Sendable { case writer, sync, daemon, server }

    private let state: Mutex<State>

    init(devices: Int) {
        state = Mutex(
            State(
                committed: Array(repeating: 0, count: devices), acknowledged: Array(repeating: 0, count: devices),
                writing: devices))
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
