internal import Session

/// The orders of a session: at most one of each lane is awaited.
struct OrderBook {
    /// Number of orders so far.
    private(set) var count = 0
    private var awaited: [SyncLane: Int] = [:]

    /// Makes an order, which replaces the one of its lane.
    mutating func order(_ request: SyncDriver.Request, _ lane: SyncLane, token: String) -> SyncDriver.Order {
        count += 1
        awaited[lane] = count
        return SyncDriver.Order(number: count, lane: lane, request: request, token: request.token ?? token)
    }

    func awaits(_ order: SyncDriver.Order) -> Bool { awaited[order.lane] == order.number }

    /// Records that the order of a lane was answered, or that its answer is to be ignored.
    mutating func close(_ lane: SyncLane) { awaited[lane] = nil }
}
