internal import Foundation

/// One connection to a ``LoopbackServer``, used by its own thread alone.
package struct LoopbackConnection: Sendable {
    package let socket: Int32

    package func send(_ text: String) { send(Array(text.utf8)) }

    /// - Returns: Whether the client was there to take it.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends an answer that is slow, and does not end before the client goes away.
    package func trickle() {
        send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
        while send([UInt8](repeating: 0x20, count: 4096)) { Thread.sleep(forTimeInterval: 0.2) }
    }

    /// A whole request; `nil` when the client has closed.
    package func receive() -> ReceivedRequest? {
        var bytes: [UInt8] = []
        while true {
            if let request = ReceivedRequest(bytes) { return request }
            guard let more = read() else { return nil }
            bytes += more
        }
    }

    /// Holds the answer back until the client goes away.
    package func waitUntilClosed() {
        while read() != nil {}
    }

    package func close() {
        Foundation.close(socket)
    }

    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}
