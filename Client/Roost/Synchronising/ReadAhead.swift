internal import RoostModel
internal import RoostProtocol
package import Session

/// The page after one that has just arrived, asked for before that one is taken in, so that the server and the network work
/// meanwhile.
///
/// The driver knows nothing of it: it gets the page that arrived a little later, and when it then orders what was asked for
/// already, the answer is that of the earlier request.
package struct ReadAhead: Hashable, Sendable {
    /// What to send; it is none of the driver's orders.
    package let order: SyncDriver.Order
    private let checkpoint: [UInt8]
    private let pushSteps: Int

    /// - Returns: `nil` where nothing follows, or where it cannot be told what does.
    package init?(
        after order: SyncDriver.Order, _ answer: Result<SyncDriver.Answer, SyncFailure>, _ driver: borrowing SyncDriver
    ) {
        guard case .pull = order.request, case .success(.pull(let page)) = answer, page.hasMore, driver.awaits(order)
        else { return nil }
        checkpoint = page.checkpoint.bytes
        self.order = SyncDriver.Order(
            number: 0, lane: .pull, request: .pullAhead(since: checkpoint), token: order.token)
        pushSteps = driver.pushSteps
    }

    /// Whether an order asks for just this, and no push has gone on meanwhile: a page is from before or after it.
    package func serves(_ order: SyncDriver.Order, _ driver: borrowing SyncDriver) -> Bool {
        order.request == .pull(since: checkpoint, waitSeconds: 0) && order.token == self.order.token
            && pushSteps == driver.pushSteps
    }
}
