internal import Foundation
internal import Synchronization

/// A small HTTP/1.1 server on a free port of this machine. Each test provides its responses, byte by byte.
package final class LoopbackServer: Sendable {
    /// The handling of a connection after a response.
    package enum Next: Sendable {
        case keep
        case close
    }

    package typealias Handler = @Sendable (ReceivedRequest, LoopbackConnection) -> Next

    package let port: UInt16
    /// An element for each request, once it has been read.
    package let arrivals: AsyncStream<ReceivedRequest>
    private let listener: Int32
    private let connections = Mutex(0)
    private let arrived: AsyncStream<ReceivedRequest>.Continuation

    package init(_ handler: @escaping Handler) throws {
        (listener, port) = try Self.listen()
        (arrivals, arrived) = AsyncStream.makeStream()
        Thread.detachNewThread { [self] in
            while case let socket = accept(listener, nil, nil), socket >= 0 {
                connections.withLock { $0 += 1 }
                Thread.detachNewThread { [self] in serve(LoopbackConnection(socket: socket), handler) }
            }
        }
    }

    /// Makes a server that answers every request with `body`.
    package convenience init(answering body: String) throws {
        try self.init { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return .keep
        }
    }

    package var connectionCount: Int { connections.withLock { $0 } }

    /// Stops listening, so that the server's thread ends.
    package func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Foundation.close(listener)
    }

    /// Returns a port of this machine on which no program listens.
    package static func unusedPort() throws -> UInt16 {
        let (listener, port) = try listen()
        Foundation.close(listener)
        return port
    }

    private func serve(_ connection: LoopbackConnection, _ handler: Handler) {
        while let request = connection.receive() {
            arrived.yield(request)
            guard case .keep = handler(request, connection) else { break }
        }
        connection.close()
    }

    private static func listen() throws -> (Int32, UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Foundation.listen(listener, 256) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw CocoaError(.fileReadUnknown) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}
