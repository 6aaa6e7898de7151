internal import Replica
internal import Session

extension OutboxState {
    /// What the outbox holds, in the session's terms.
    init(_ start: SessionStart) {
        self = start.sealedPush.map { .sealed(number: $0) } ?? (start.hasWaitingChanges ? .waiting : .empty)
    }
}
