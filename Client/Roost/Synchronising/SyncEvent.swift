package import Session

/// Something that happens to a session: ``SyncDriver/handle(_:at:)`` answers it with what to send.
package enum SyncEvent: Sendable {
    /// This program has written to the replica.
    case localChange
    /// A program may have written to the replica's file.
    case fileChanged
    /// The network came back, or the user asks for an attempt now.
    case wake
    /// ``SyncDriver/deadline`` has come.
    case timerFired
    /// The result of an order. It is ignored where a later order has replaced that one.
    case received(SyncDriver.Order, Result<SyncDriver.Answer, SyncFailure>)
    /// A session that runs once has taken as long as it may.
    case timeIsOver(Duration)
    /// The session is to end.
    case stop
}
