internal import RoostModel
internal import RoostService

/// The decision how many bytes of one total each scope, and each device of it, may hold at once.
///
/// A scope may hold a fraction of the bytes that the other scopes leave. However much one scope takes, a part of the total
/// stays free for the others, and no scope has to be known in advance:
///
///     var ledger = ByteLedger(total: 96)
///     ledger.change(from: 0, to: 72, for: ana)     // .granted: three quarters of 96
///     ledger.change(from: 0, to: 18, for: zoe)     // .granted: three quarters of the 24 that are left
struct ByteLedger {
    /// A device and its scope. Without both, a caller that has no device token, such as an operator's program.
    struct Holder: Hashable, Sendable {
        var scope: ScopeKey?
        var replica: ReplicaID?

        init(scope: ScopeKey? = nil, replica: ReplicaID? = nil) {
            self.scope = scope
            self.replica = replica
        }

        init(_ member: Principal) { self.init(scope: member.scope, replica: member.replica) }
    }

    enum Verdict: Hashable {
        case granted
        /// Granted once other shares have returned bytes.
        case full
        /// Never granted, not even if no other share exists.
        case tooLarge
    }

    let total: Int
    /// The bytes held now.
    private(set) var held = 0
    private var scopes: [ScopeKey?: Int] = [:]
    private var holders: [Holder: Int] = [:]

    init(total: Int) { self.total = total }

    /// The maximum bytes of one share.
    var shareMax: Int { total / 4 * 3 }

    /// Changes the size of a holder's share, which is 0 before the first and after the last change. Only a greater size can
    /// be denied, which leaves the ledger unchanged.
    mutating func change(from old: Int, to new: Int, for holder: Holder) -> Verdict {
        if new > old, new > room(besides: old, for: holder) { return new > shareMax ? .tooLarge : .full }
        held += new - old
        Self.add(new - old, to: &scopes, holder.scope)
        Self.add(new - old, to: &holders, holder)
        return .granted
    }

    /// Returns the maximum size of a share whose current size is `own`.
    func room(besides own: Int, for holder: Holder) -> Int {
        let scope = scopes[holder.scope, default: 0] - own
        let device = holders[holder, default: 0] - own
        // The bytes that other scopes leave.
        let left = total - (held - own - scope)
        // The first share of a device may be large. Further shares are for devices that take little.
        return device == 0 ? left / 4 * 3 - scope : min(left / 2 - scope, left / 4 - device)
    }

    private static func add<Key>(_ count: Int, to counts: inout [Key: Int], _ key: Key) {
        guard count != 0 else { return }
        let sum = counts[key, default: 0] + count
        counts[key] = sum == 0 ? nil : sum
    }
}
