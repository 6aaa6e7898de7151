internal import RoostModel

/// I29 at the server: only records that a user deleted are deleted, and an unchanged row gets no stamp.
enum ForeignChangeChecker {
    static func check(
        _ change: Change, device: Int, _ oracle: ForeignOracle, _ ledger: Ledger, mayRepeat: Bool
    ) throws {
        switch change.kind {
        case .delete:
            guard !mayRepeat, !(oracle.deleted[device]?.contains(change.key) ?? false),
                // A record that one transaction inserts and deletes again is never visible.
                oracle.hasShown(change.key, device)
                    || ledger.slots(of: change.key).put?.stamp.replica != change.stamp.replica
            else { return }
            throw Violation(
                .committedWrite,
                "the delete \(change.stamp) of \(change.key.short) by replica \(device) arrives, and nobody deleted it there"
            )
        case .put(let encoded, let base):
            guard !mayRepeat, let base, ledger.content(change.key, at: base) == encoded,
                // An edit that undoes a delete may repeat the earlier content.
                !(oracle.undeleted[device]?.contains(change.key) ?? false),
                !ledger.everDeleted(change.key, after: base),
                // A write over an own edit in a sealed push has no fact to be compared with.
                base.replica != change.stamp.replica || oracle.hasConfirmed(base, device)
            else { return }
            throw Violation(
                .committedWrite,
                "the put \(change.stamp) of \(change.key.short) by replica \(device) says what its base \(base) says")
        }
    }
}
