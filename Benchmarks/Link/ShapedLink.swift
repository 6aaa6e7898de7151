internal import Foundation
internal import Synchronization

/// A proxy between clients and a server of this machine. It counts their messages, and makes them as slow as over a real
/// link.
///
/// The bytes of each direction pass in sequence at the link's rate, and arrive half a round trip later. A connection opens
/// one round trip after the request. A lost segment of a TCP stream arrives later, and delays the segments after it
/// (``LinkLane/send(_:opened:after:)``). No window is modelled: neither slow start nor congestion control.
package final class ShapedLink: Sendable {
    /// The address for clients.
    package let address: String
    private let server: Int
    private let listener: LinkSocket
    private let shape: LinkShape?
    private let lanes: (up: LinkLane, down: LinkLane)?
    private let state = Mutex((traffic: LinkTraffic(), connections: [LinkSocket]()))

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - server: The server's port.
    ///   - shape: The properties of the link; `nil` only counts.
    ///   - random: The source of the decision which segments are lost.
    package init(
        to server: Int, _ shape: LinkShape? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) throws {
        let port: Int
        (listener, port) = try LinkSocket.listening()
        address = "http://127.0.0.1:\(port)"
        self.server = server
        self.shape = shape
        lanes = shape.map { (LinkLane($0, random), LinkLane($0, random)) }
        Thread { [self] in
            while let client = listener.accepted() { serve(client) }
        }.start()
    }

    /// Stops accepting connections, and closes the open ones.
    package func stop() {
        listener.endAll()
        for connection in state.withLock({ $0.connections }) { connection.endAll() }
    }

    /// Returns the traffic over the link since the last call.
    package func takeTraffic() -> LinkTraffic {
        state.withLock { state in
            defer { state.traffic = LinkTraffic() }
            return state.traffic
        }
    }

    private func serve(_ client: LinkSocket) {
        let opened = ContinuousClock.now + (shape?.roundTrip ?? .zero)
        guard let upstream = LinkSocket.connected(to: server) else { return client.endAll() }
        state.withLock { state in
            state.traffic.connections += 1
            state.connections += [client, upstream]
        }
        let isAnswered = AnsweredFlag()
        LinkPipe(from: client, to: upstream, over: lanes?.up, opened: opened) { [self] count in
            let isTurn = isAnswered.spoke()
            state.withLock { state in
                state.traffic.up += count
                if isTurn { state.traffic.roundTrips += 1 }
            }
        }.start()
        LinkPipe(from: upstream, to: client, over: lanes?.down, opened: opened) { [self] count in
            isAnswered.heard()
            state.withLock { $0.traffic.down += count }
        }.start()
    }
}
