internal import Replica
internal import RoostModel
internal import Session

extension Replica {
    /// What the outbox holds, in the session's terms.
    func outboxState() throws -> OutboxState {
        if let number = try sealedPushNumber() { return .sealed(number: number) }
        return try hasWaitingChanges() ? .waiting : .empty
    }

    var knownSchemaVersion: Int { (try? fetchedSchemaVersion()) ?? schema.version }
}
