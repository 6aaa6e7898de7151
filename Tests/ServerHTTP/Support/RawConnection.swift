import Foundation

/// A TCP connection for exact bytes.
final class RawConnection: Sendable {
    /// The reply of a server.
    struct Reply: Sendable {
        var status: Int
        var head: String
        var body: [UInt8]

        func field(_ name: String) -> String? {
            let lines = head.components(separatedBy: "\r\n").dropFirst()
            let line = lines.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            return line.map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    struct ConnectError: Error {}

    private let descriptor: Int32

    /// Connects to a loopback port. The default timeouts are long, because a busy machine may need them.
    ///
    /// - Parameters:
    ///   - sendSeconds: The timeout of a write, in seconds; short where the server is expected not to read.
    ///   - window: The size of the receive buffer, in bytes; `nil` for the system's default.
    init(port: Int, seconds: Int = 30, sendSeconds: Int = 30, window: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var window {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw ConnectError() }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        limit.tv_sec = sendSeconds
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Writes as many bytes as possible. A server may close the connection before it has read all.
    ///
    /// - Returns: Whether all bytes were written in time.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                Foundation.send(descriptor, raw.baseAddress.map { $0 + sent }, raw.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Ends the sending side of the connection.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes a later close reset the connection.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    /// Reads one reply; `nil` if the connection ends or times out before the reply is complete.
    ///
    /// - Parameter hasBody: `false` for the reply to HEAD, which states a length and has no body.
    func receive(hasBody: Bool = true) -> Reply? { receive(1, hasBody: hasBody).first }

    /// Reads consecutive replies; fewer if the connection ends or times out.
    func receive(_ count: Int, hasBody: Bool = true) -> [Reply] {
        var data: [UInt8] = []
        var replies: [Reply] = []
        while replies.count < count {
            if let (reply, length) = Self.reply(in: data, hasBody: hasBody) {
                replies.append(reply)
                data.removeFirst(length)
            } else {
                guard let more = read(), !more.isEmpty else { break }
                data += more
            }
        }
        return replies
    }

    /// Reads all bytes until the server closes the connection or the read times out.
    func receiveToEnd() -> [UInt8] {
        var data: [UInt8] = []
        while let more = read(), !more.isEmpty { data += more }
        return data
    }

    /// Returns whether the server closes the connection, after the rest of its bytes.
    func isClosedByServer() -> Bool {
        while let more = read() {
            if more.isEmpty { return true }
        }
        return errno == ECONNRESET
    }

    /// Reads the available bytes; none at the end, `nil` after an error or a timeout.
    private func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count < 0 ? nil : Array(buffer[..<count])
    }

    private static func reply(in data: [UInt8], hasBody: Bool) -> (reply: Reply, length: Int)? {
        guard let end = data.indices.first(where: { data[$0...].starts(with: Array("\r\n\r\n".utf8)) }) else {
            return nil
        }
        let head = String(decoding: data[..<end], as: UTF8.self)
        let parts = head.split(separator: " ", maxSplits: 2)
        guard parts.count > 1, let status = Int(parts[1]) else { return nil }
        var reply = Reply(status: status, head: head, body: [])
        let count = hasBody ? reply.field("Content-Length").flatMap { Int($0) } ?? 0 : 0
        guard data.count >= end + 4 + count else { return nil }
        reply.body = Array(data[(end + 4)..<(end + 4 + count)])
        return (reply, end + 4 + count)
    }
}

/// Runs blocking work on its own thread, because the server under test shares the tasks of this process.
func offTasks<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
