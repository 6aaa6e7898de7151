internal import Foundation

/// A blocking TCP socket on this machine.
final class Socket: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Listens on a free port.
    static func listening() throws -> (socket: Socket, port: Int) {
        let socket = Socket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.descriptor, $0, length) == 0 && listen(socket.descriptor, 512) == 0
                    && getsockname(socket.descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw SocketError(text: "cannot listen: errno \(errno)") }
        return (socket, Int(address.sin_port.bigEndian))
    }

    /// - Parameters:
    ///   - receiveSeconds: The maximum wait of a read.
    ///   - receiveBytes: The system's buffer size for a reader that does not read; `nil` for the system's default.
    /// - Returns: `nil` if the connection is refused.
    static func connected(to port: Int, receiveSeconds: Int = 70, receiveBytes: Int32? = nil) -> Socket? {
        let socket = Socket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var limit = timeval(tv_sec: receiveSeconds, tv_usec: 0)
        setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBytes {
            setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = Self.address(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        return isConnected ? socket : nil
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    /// - Returns: `nil` when no more connections arrive.
    func accepted() -> Socket? {
        let peer = accept(descriptor, nil, nil)
        return peer < 0 ? nil : Socket(peer)
    }

    /// - Returns: The received bytes, empty at the end.
    func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// Whether the last read found the end or a reset, rather than a time-out.
    var wasEnded: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN)
    }

    /// - Returns: Whether all bytes were sent.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Closes the connection with a reset instead of an orderly end.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    func shut() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

struct SocketError: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
}
