package import Session

/// An event of a session. ``SyncDriver/handle(_:at:)`` returns the order that follows from it.
package enum SyncEvent: Sendable {
    /// This program has written to the replica.
    case localChange
    /// A program may have written to the replica's file.
    case fileChanged
    /// The network is back, or the user requests an attempt.
    case wake
    /// ``SyncDriver/deadline`` is reached.
    case timerFired
    /// The result of an order. It is ignored where a later order has replaced that one.
    case received(SyncDriver.Order, Result<SyncDriver.Answer, SyncFailure>)
    /// A session that runs once has exceeded its time.
    case timeIsOver(Duration)
    /// The session is to end.
    case stop
}
