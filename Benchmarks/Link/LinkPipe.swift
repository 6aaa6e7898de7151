internal import Foundation
internal import Synchronization

/// Carries the bytes from one side of a connection to the other, at the time the lane lets them arrive.
final class LinkPipe: Sendable {
    /// The polling interval while bytes are in flight.
    private static let stepMicroseconds: UInt32 = 500

    private let source: LinkSocket
    private let target: LinkSocket
    private let lane: LinkLane?
    private let opened: ContinuousClock.Instant
    private let onBytes: @Sendable (Int) -> Void
    private let waiting = Mutex<[Segment]>([])
    private let isSomethingWaiting = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - lane: The lane of the bytes; `nil` for no delay.
    ///   - onBytes: Called with the number of bytes that a side has sent, before they enter the lane.
    init(
        from source: LinkSocket, to target: LinkSocket, over lane: LinkLane?, opened: ContinuousClock.Instant,
        onBytes: @escaping @Sendable (Int) -> Void
    ) {
        self.source = source
        self.target = target
        self.lane = lane
        self.opened = opened
        self.onBytes = onBytes
    }

    /// Starts the threads; they end with the connection.
    func start() {
        Thread { [self] in take() }.start()
        Thread { [self] in give() }.start()
    }

    private func take() {
        while true {
            let bytes = source.receive(LinkLane.segmentBytes)
            if !bytes.isEmpty { onBytes(bytes.count) }
            waiting.withLock { waiting in
                if let lane {
                    lane.send(bytes, opened: opened, after: &waiting)
                } else {
                    waiting.append(Segment(bytes: bytes, arrival: .now))
                }
            }
            isSomethingWaiting.signal()
            if bytes.isEmpty { return }
        }
    }

    private func give() {
        while true {
            isSomethingWaiting.wait()
            let segment = next()
            guard !segment.isEnd, target.send(segment.bytes) else { return target.endSending() }
        }
    }

    /// Returns the first waiting segment once it has arrived.
    private func next() -> Segment {
        while true {
            let arrived = waiting.withLock { waiting -> Segment? in
                guard let first = waiting.first, first.arrival <= .now else { return nil }
                return waiting.removeFirst()
            }
            if let arrived { return arrived }
            usleep(Self.stepMicroseconds)
        }
    }
}
