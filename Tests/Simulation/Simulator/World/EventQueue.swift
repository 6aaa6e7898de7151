internal import Roost
internal import Session

/// A request in transit.
struct Message: Hashable {
    var number: Int
    var device: Int
    var generation: Int
    var order: SyncDriver.Order
    /// Whether no device waits for the answer: a proxy repeats the request.
    var isRepetition = false

    var lane: SyncLane { order.lane }
    var request: SyncDriver.Request { order.request }
    var token: String { order.token }
}

/// The future events, in order of time.
struct EventQueue {
    enum Event {
        /// A request reaches the server.
        case arrival(Message)
        /// An answer reaches the device.
        case answer(Message, SimulatedServer.Response)
        case failure(Message, SyncFailure)
        case timer(device: Int, generation: Int, Moment)
        /// The server is restarted.
        case serverStart
        /// The server's time for holding a pull is over.
        case holdEnd(Message)

        var isArrival: Bool { if case .arrival = self { true } else { false } }
    }

    private var events: [(time: Int64, order: Int, event: Event)] = []
    private var count = 0

    var nextTime: Int64? { events.first?.time }
    var isEmpty: Bool { events.isEmpty }

    /// - Returns: Whether the event comes before one that was added earlier.
    @discardableResult
    mutating func add(_ event: Event, at time: Int64) -> Bool {
        count += 1
        let place = events.firstIndex { $0.time > time } ?? events.count
        events.insert((time, count, event), at: place)
        return place < events.count - 1
    }

    mutating func next() -> (time: Int64, event: Event)? {
        guard !events.isEmpty else { return nil }
        let first = events.removeFirst()
        return (first.time, first.event)
    }

    /// Returns whether a push of a device is still in transit to the server.
    func holdsPush(of device: Int) -> Bool {
        events.contains { _, _, event in
            guard case .arrival(let message) = event else { return false }
            return message.device == device && message.request.isPush
        }
    }

    mutating func removeAll() { events = [] }

    /// Moves all arrivals at the server to `time`.
    mutating func hurryArrivals(at time: Int64) {
        let late = events.filter { $0.event.isArrival }
        events.removeAll { $0.event.isArrival }
        for (_, _, event) in late { add(event, at: time) }
    }
}
