import Foundation

/// One connection to a ``LoopbackServer``, used by its own thread alone.
struct LoopbackConnection: Sendable {
    let socket: Int32

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// A whole request; `nil` when the client has closed.
    func receive() -> ReceivedRequest? {
        var bytes: [UInt8] = []
        while true {
            if let request = ReceivedRequest(bytes) { return request }
            guard let more = read() else { return nil }
            bytes += more
        }
    }

    /// Holds the answer back until the client goes away.
    func waitUntilClosed() {
        while read() != nil {}
    }

    func close() {
        Foundation.close(socket)
    }

    private func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}
