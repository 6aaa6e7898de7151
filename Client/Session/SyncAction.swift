/// What the driver does next, and the event with which it reports that it is done; for all of them that may also be
/// ``SyncSession/failed(_:_:at:)``.
package enum SyncAction: Hashable, Sendable {
    /// Nothing; what is under way goes on.
    case wait
    /// Seal the next push of the outbox, if any, so that it never changes again: ``SyncSession/sealed(_:at:)``.
    case sealPush
    /// Send the sealed push: ``SyncSession/pushReplied(to:at:)``.
    case sendPush(number: UInt64)
    /// Take what the reply settled out of the outbox and write its outcomes and refusals to the journal:
    /// ``SyncSession/acknowledged(at:)``.
    case acknowledge(number: UInt64)
    /// Give the whole outbox new stamps by the server's clock (milliseconds since 1970), in order, and forget the
    /// sealing: ``SyncSession/restamped(at:)``.
    case restamp(serverTime: UInt64)
    /// Pull what follows the checkpoint; the server may hold its answer for `waitSeconds`:
    /// ``SyncSession/pulled(_:at:)``.
    case pull(waitSeconds: Int)
    /// Fetch and store the scope's schema, also one that this program does not understand in full, and keep the page:
    /// ``SyncSession/schemaFetched(at:)``.
    case fetchSchema(version: Int)
    /// Apply the page that was pulled last, and its checkpoint, in one transaction: ``SyncSession/applied(_:at:)``.
    case applyPage
    /// Forget the checkpoint, so that the next pulls bring the whole scope beside the present records and replace them
    /// at the last page; the outbox stays: ``SyncSession/rebuilt(at:)``.
    case rebuild
    /// Cancel what is under way and report nothing more.
    case finish(SyncOutcome)
}
