internal import Replica
internal import Session

extension OutboxState {
    /// Converts the state of the outbox to the session's terms.
    init(_ start: SessionStart) {
        self =
            if let number = start.sealedPush {
                .sealed(number: number)
            } else if start.hasManyWaiting {
                .many
            } else {
                start.hasWaitingChanges ? .waiting : .empty
            }
    }
}
