internal import Foundation
internal import Synchronization

/// Stands between clients and a server of this machine, counts what they say, and makes it as slow as a link is.
///
/// Bytes of each direction pass one after another at the link's rate and arrive half a round trip later. A connection
/// is open a round trip after it was asked for. Of a TCP stream a lost segment comes later, and what follows it is held
/// back (``LinkLane/send(_:opened:after:)``). No window is modelled: neither slow start nor what a sender makes of losses.
package final class ShapedLink: Sendable {
    /// Where clients connect to.
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
    ///   - shape: `nil` only counts.
    ///   - random: Says which segments are lost.
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

    /// Takes no more connections, and ends those that there are.
    package func stop() {
        listener.endAll()
        for connection in state.withLock({ $0.connections }) { connection.endAll() }
    }

    /// What went over the link since the last call.
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
