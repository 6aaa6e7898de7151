internal import Logging
internal import RoostModel
internal import RoostService

/// The log lines of the service's events.
enum EventLog {
    static func log(_ event: SyncService.Event, to logger: Logger) {
        switch event {
        case .stampCollision(let scope, let record, let stamp):
            logger.error(
                "one stamp names two contents: two replicas share an identity",
                metadata: ["scope": "\(scope)", "record": "\(record)", "stamp": "\(stamp)"])
        case .stolenToken(let scope, let replica, let isRevoked):
            logger.warning(
                isRevoked
                    ? "a replaced token was used again: its device is revoked"
                    : "a replaced token was used again, of the last owner or after a restore: it was refused",
                metadata: ["scope": "\(scope)", "replica": "\(replica)"])
        case .rolledBack(let scope, let replica):
            logger.error(
                "the server was put back to an earlier state: replicas bring back what they have",
                metadata: ["scope": "\(scope)", "replica": "\(replica)"])
        case .recovered(let scope, let replica, let records):
            logger.notice(
                "a replica brought back what the server had lost",
                metadata: ["scope": "\(scope)", "relayedBy": "\(replica)", "records": "\(records)"])
        case .purged(let scope, let records):
            logger.notice("purged records", metadata: ["scope": "\(scope)", "records": "\(records)"])
        case .purgeFailed(let scope, let reason):
            logger.error(
                "a scope could not be purged",
                metadata: ["scope": "\(scope.map(\.description) ?? "?")", "reason": "\(reason)"])
        case .spaceKept(let reason):
            logger.warning(
                "space that nothing uses could not be given back to the disk; the next purge tries again",
                metadata: ["reason": "\(reason)"])
        case .purgeWaits(let jump):
            logger.warning(
                "the clock has jumped forward; nothing is purged until a device or \"roost-server clock accept\" confirms it",
                metadata: ["from": "\(jump.from.date)", "to": "\(jump.to.date)"])
        case .stampsAhead(let milliseconds):
            logger.warning(
                "changes are refused whose stamps are ahead of all that the clock has shown",
                metadata: ["stamp": "\(milliseconds.date)"])
        case .unreadableRecords(let scope, let records):
            logger.error(
                "records of the store cannot be read, and were left out of a page",
                metadata: ["scope": "\(scope)", "records": "\(records)"])
        case .renewed(let scope, let replica, let new, let reason):
            logger.notice(
                "a replica was renewed",
                metadata: ["scope": "\(scope)", "replica": "\(replica)", "as": "\(new)", "reason": "\(reason)"])
        }
    }
}
