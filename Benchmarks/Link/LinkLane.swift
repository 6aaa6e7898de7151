internal import Synchronization

/// One direction of a link. All connections share its rate and its losses.
final class LinkLane: Sendable {
    /// The maximum number of bytes in a segment, as over Ethernet.
    static let segmentBytes = 1448
    /// The number of later segments that must arrive before a sender considers one lost.
    private static let followersOfLost = 3

    private struct State {
        /// The time at which the last bit so far has been sent.
        var isFree = ContinuousClock.now
        var random: any RandomNumberGenerator & Sendable
    }

    private let shape: LinkShape
    private let state: Mutex<State>

    init(_ shape: LinkShape, _ random: any RandomNumberGenerator & Sendable) {
        self.shape = shape
        state = Mutex(State(random: random))
    }

    /// Sends bytes, at most ``segmentBytes`` of them, after the `waiting` segments of the same connection.
    ///
    /// A lost segment is sent again once three later ones have arrived and the sender has been notified. If fewer follow, it
    /// is sent again after two round trips. Later segments travel meanwhile, and wait at the receiver.
    ///
    /// - Parameter opened: The time at which the connection is open.
    func send(_ bytes: [UInt8], opened: ContinuousClock.Instant, after waiting: inout [Segment]) {
        let (arrival, isLost) = state.withLock { state in
            let time = Duration.seconds(shape.seconds(of: bytes.count))
            let isLost = !bytes.isEmpty && Double.random(in: 0..<1, using: &state.random) < shape.loss
            state.isFree = max(.now, opened, state.isFree) + (isLost ? time * 2 : time)
            return (state.isFree + shape.roundTrip / 2, isLost)
        }
        for index in waiting.indices {
            guard let followers = waiting[index].followers, followers < Self.followersOfLost else { continue }
            waiting[index].followers = followers + 1
            guard followers + 1 == Self.followersOfLost else { continue }
            waiting[index].arrival = min(waiting[index].arrival, arrival + shape.roundTrip)
        }
        waiting.append(
            Segment(
                bytes: bytes, arrival: isLost ? arrival + shape.roundTrip * 2 : arrival, followers: isLost ? 0 : nil))
    }
}
