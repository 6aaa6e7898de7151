internal import Synchronization

/// One direction of a link: all connections share its rate and its luck.
final class LinkLane: Sendable {
    /// The most bytes that a segment carries, as over Ethernet.
    static let segmentBytes = 1448
    /// Later segments that must arrive before a sender takes one for lost.
    private static let followersOfLost = 3

    private struct State {
        /// When the last bit so far is sent.
        var isFree = ContinuousClock.now
        var random: any RandomNumberGenerator & Sendable
    }

    private let shape: LinkShape
    private let state: Mutex<State>

    init(_ shape: LinkShape, _ random: any RandomNumberGenerator & Sendable) {
        self.shape = shape
        state = Mutex(State(random: random))
    }

    /// Sends bytes, at most ``segmentBytes`` of them, after those that `waiting` holds of the same connection.
    ///
    /// A lost segment is sent again once three later ones have arrived and the sender has heard of it, or, where so many do
    /// not follow, after two round trips. What follows it waits at the receiver, but is on its way meanwhile.
    ///
    /// - Parameter opened: When the connection was open.
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
