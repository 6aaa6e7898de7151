package import RoostModel

/// What the driver does next, and the event with which it reports that it is done; for all of them that may also be
/// ``SyncSession/failed(_:_:at:)``.
package enum SyncAction: Hashable, Sendable {
    /// Nothing; what is under way goes on.
    case wait
    /// Seal the next push of the outbox, if any, so that it never changes again: ``SyncSession/sealed(_:at:)``; unless the server
    /// holds parts of a transaction whose rest is not sealed any more: ``SyncSession/leftParts(at:)``.
    case sealPush
    /// Send the sealed push; where it `pulls`, its reply shall also bring what follows the checkpoint:
    /// ``SyncSession/pushReplied(to:page:at:)``.
    case sendPush(number: UInt64, pulls: Bool = false)
    /// Take what the reply settled out of the outbox and write its outcomes and refusals to the journal:
    /// ``SyncSession/acknowledged(at:)``.
    case acknowledge(number: UInt64)
    /// Give the whole outbox new stamps by the server's clock (milliseconds since 1970), in order, and forget the
    /// sealing: ``SyncSession/restamped(at:)``.
    case restamp(serverTime: UInt64)
    /// Ask the server for a new identity and take it, with all that follows for outbox and pushes. A pull under way is of no
    /// use any more, and its answer must not be reported: ``SyncSession/renewed(at:)``.
    case renew(RenewalCause)
    /// Seal the refused push anew in smaller ones, if it is more than one transaction: ``SyncSession/divided(_:at:)``.
    case divide(number: UInt64, isTooLarge: Bool)
    /// Take the one transaction of the push out of the outbox and write it to the journal as refused:
    /// ``SyncSession/wasSetAside(at:)``.
    case setAside(number: UInt64, reason: String)
    /// Pull what follows the checkpoint; the server may hold its answer for `waitSeconds`:
    /// ``SyncSession/pulled(_:at:)``.
    case pull(waitSeconds: Int)
    /// Fetch and store the scope's schema, also one that this program does not understand in full, and keep the page:
    /// ``SyncSession/schemaFetched(at:)``.
    case fetchSchema(version: Int)
    /// Apply the page that was pulled last, and its checkpoint, in one transaction: ``SyncSession/applied(_:at:)``.
    case applyPage
    /// Forget the checkpoint, so that the next pulls bring the whole scope beside the present records and replace them
    /// at the last page; the outbox stays: ``SyncSession/startedAnew(at:)``.
    case pullAnew(PullAnewReason)
    /// Send the server the next of the records that it has lost: ``SyncSession/recovered(hasMore:at:)``.
    case recover
    /// Give up what the server has lost and does not take back: ``SyncSession/gaveUp(at:)``.
    case giveUp(mayWrite: Bool)
    /// Cancel what is under way and report nothing more.
    case finish(SyncOutcome)

    /// The lane whose event ends the action; `nil` where the driver reports none.
    package var lane: SyncLane? {
        switch self {
        case .sealPush, .sendPush, .acknowledge, .restamp, .renew, .divide, .setAside: .push
        case .pull, .fetchSchema, .applyPage, .pullAnew, .recover, .giveUp: .pull
        case .wait, .finish: nil
        }
    }
}
