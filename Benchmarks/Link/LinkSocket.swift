internal import Foundation

/// A blocking TCP socket of this machine. It is closed with its last reference.
package final class LinkSocket: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Listens on a free port.
    package static func listening() throws -> (socket: LinkSocket, port: Int) {
        let socket = LinkSocket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.descriptor, $0, length) == 0 && listen(socket.descriptor, 64) == 0
                    && getsockname(socket.descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw CocoaError(.fileReadUnknown) }
        return (socket, Int(address.sin_port.bigEndian))
    }

    /// - Returns: `nil` where the connection is refused.
    package static func connected(to port: Int) -> LinkSocket? {
        let socket = LinkSocket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = address(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        return isConnected ? socket : nil
    }

    /// Returns the next connection; `nil` after ``endAll()`` was called.
    package func accepted() -> LinkSocket? {
        let connection = accept(descriptor, nil, nil)
        return connection < 0 ? nil : LinkSocket(connection)
    }

    /// Returns the received bytes, at least one; none at the stream's end.
    package func receive(_ bytesMax: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: bytesMax)
        let count = recv(descriptor, &buffer, bytesMax, 0)
        return count > 0 ? Array(buffer.prefix(count)) : []
    }

    /// - Returns: Whether all of it could be sent.
    package func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }
    func endAll() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
