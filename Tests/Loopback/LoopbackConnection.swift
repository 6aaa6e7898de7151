internal import Foundation

/// One connection to a ``LoopbackServer``, used only by its own thread.
package struct LoopbackConnection: Sendable {
    package let socket: Int32

    package func send(_ text: String) { send(Array(text.utf8)) }

    /// - Returns: Whether the client was still connected.
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

    /// Sends a slow response that does not end before the client closes the connection.
    package func trickle() {
        send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
        while send([UInt8](repeating: 0x20, count: 4096)) { Thread.sleep(forTimeInterval: 0.2) }
    }

    /// Returns a complete request; `nil` after the client has closed the connection.
    package func receive() -> ReceivedRequest? {
        var bytes: [UInt8] = []
        while true {
            if let request = ReceivedRequest(bytes) { return request }
            guard let more = read() else { return nil }
            bytes += more
        }
    }

    /// Withholds the response until the client closes the connection.
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
