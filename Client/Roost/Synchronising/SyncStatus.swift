public import Foundation
public import Observation
internal import Replica

/// The state of a session for a view: a view that reads it is drawn again when it changes.
///
///     let status = SyncStatus(session)
///     let following = Task { await status.follow() }
///     print(status.state, status.waiting)
///
/// A view of SwiftUI has the call of ``follow()`` in its `task` modifier.
@MainActor @Observable public final class SyncStatus {
    /// The state of the session.
    public private(set) var state = SessionState.notRunning
    /// The number of records with local changes that the server has not acknowledged.
    public private(set) var waiting = 0
    /// The time of the last successful exchange with the server.
    public private(set) var lastContact: Date?

    @ObservationIgnored private let session: LiveSession

    /// Makes the status of a session. It does not change before ``follow()``.
    public init(_ session: LiveSession) { self.session = session }

    /// Follows the session until it ends, or until the task is cancelled.
    public func follow() async {
        for await state in session.states() {
            let pending = await session.pending()
            self.state = state
            guard let pending else { continue }
            waiting = pending.waiting
            lastContact = pending.lastContact.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        }
    }
}
