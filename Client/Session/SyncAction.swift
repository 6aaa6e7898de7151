package import RoostModel

/// An instruction to the driver. Each case names the event that reports its success; ``SyncSession/failed(_:_:at:)`` reports
/// its failure.
///
/// A companion of an action is a request that the driver sends ahead of it, or an effect of the same transaction:
/// `preconnects`, `prefetches` and `appliesPage`.
package enum SyncAction: Hashable, Sendable {
    /// Nothing to do. Actions under way continue.
    case wait
    /// Seal the next push of the outbox, if any, so that it never changes again: ``SyncSession/sealed(_:isLast:at:)``. Where the
    /// server holds parts of a transaction whose rest is not sealed any more: ``SyncSession/leftParts(at:)``.
    ///
    /// With `preconnects`, first open the connection for the push.
    case sealPush(preconnects: Bool = false)
    /// Send the sealed push: ``SyncSession/pushReplied(to:page:at:)``.
    ///
    /// With `pulls`, the reply is to bring the page after the checkpoint. With `isPreconnected`, the push completes the request
    /// that was opened while it was sealed.
    case sendPush(number: UInt64, pulls: Bool = false, isPreconnected: Bool = false)
    /// Remove the settled changes from the outbox and write their outcomes and refusals to the journal:
    /// ``SyncSession/acknowledged(applied:at:)``.
    ///
    /// With `appliesPage`, the same transaction applies the page that came with the reply, if that only stores its checkpoint.
    case acknowledge(number: UInt64, appliesPage: Bool = false)
    /// Give the whole outbox new stamps by the server's clock (milliseconds since 1970), in order, and discard the sealed pushes:
    /// ``SyncSession/restamped(at:)``.
    case restamp(serverTime: UInt64)
    /// Request a new identity and adopt it, with its consequences for outbox and pushes: ``SyncSession/renewed(at:)``. A pull
    /// under way is obsolete, and its answer must not be reported.
    case renew(RenewalCause)
    /// Divide the refused push into smaller ones, if it has more than one transaction: ``SyncSession/divided(_:at:)``.
    case divide(number: UInt64, isTooLarge: Bool)
    /// Remove the only transaction of the push from the outbox and write it to the journal as refused:
    /// ``SyncSession/wasSetAside(at:)``.
    case setAside(number: UInt64, reason: String)
    /// Pull the page after the checkpoint: ``SyncSession/pulled(_:at:)``. The server may hold its answer for `waitSeconds`.
    case pull(waitSeconds: Int)
    /// Fetch and store the scope's schema, and keep the page: ``SyncSession/schemaFetched(at:)``. This program need not understand
    /// the schema in full.
    case fetchSchema(version: Int)
    /// Apply the last pulled page and its checkpoint in one transaction: ``SyncSession/applied(_:at:)``.
    ///
    /// With `prefetches`, first request the page after it. The answer is reported as that of a pull, once the page is applied.
    case applyPage(prefetches: Bool = false)
    /// Start a full resynchronisation: ``SyncSession/resynchronised(at:)``. The checkpoint is discarded. The next pulls bring the
    /// whole scope, and the last page replaces the present records. The outbox stays.
    case resynchronise(PullAnewReason)
    /// Send the server the next records that it has lost: ``SyncSession/recovered(hasMore:at:)``.
    case recover
    /// Send the lost records that the server does not accept as new changes, or journal them: ``SyncSession/gaveUp(at:)``.
    case giveUp(mayWrite: Bool)
    /// Cancel all actions under way and report nothing more.
    case finish(SyncOutcome)

    /// The action without the companion that is sent ahead of it.
    package var alone: SyncAction {
        switch self {
        case .sealPush: .sealPush()
        case .applyPage: .applyPage()
        default: self
        }
    }

    /// The lane whose event ends the action; `nil` where the driver reports none.
    package var lane: SyncLane? {
        switch self {
        case .sealPush, .sendPush, .acknowledge, .restamp, .renew, .divide, .setAside: .push
        case .pull, .fetchSchema, .applyPage, .resynchronise, .recover, .giveUp: .pull
        case .wait, .finish: nil
        }
    }
}
