internal import Synchronization

/// The events so far while many processes write one replica.
final class WritersBook: Sendable {
    private struct State {
        var writers: Int
        var kills = 0
        var syncs = 0
        var refusals = 0
        var handOvers = 0
        var holder: Int32?
    }

    let killsLeast: Int
    private let state: Mutex<State>
    private let patience = Patience(seconds: 120)

    init(writers: Int, killsLeast: Int) {
        self.killsLeast = killsLeast
        state = Mutex(State(writers: writers))
    }

    var syncsLeast: Int { max(1, killsLeast / 60) }
    var handOversLeast: Int { max(1, killsLeast / 40) }

    func endedWriting() { state.withLock { $0.writers -= 1 } }
    func killed() { state.withLock { $0.kills += 1 } }
    func synchronised() { state.withLock { $0.syncs += 1 } }
    func stayedAway() { state.withLock { $0.refusals += 1 } }

    /// - Parameter process: The current holder of the lease.
    func saw(holder process: Int32) {
        state.withLock { state in
            if let last = state.holder, last != process { state.handOvers += 1 }
            state.holder = process
        }
    }

    var kills: Int { state.withLock { $0.kills } }
    var syncs: Int { state.withLock { $0.syncs } }
    var refusals: Int { state.withLock { $0.refusals } }
    var handOvers: Int { state.withLock { $0.handOvers } }

    /// Whether to continue: until the last writer is done, and then until enough has happened.
    var isGoingOn: Bool {
        let state = state.withLock { $0 }
        if state.writers > 0 { return true }
        let lacks = state.kills < killsLeast || state.syncs < syncsLeast || state.handOvers < handOversLeast
        return lacks && patience.isLeft
    }
}
