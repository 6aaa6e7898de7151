internal import Foundation

extension LoopbackServer {
    /// Returns a proxy to a server of this machine. Like nginx, it refuses bodies over a number of bytes.
    ///
    /// - Parameter refusal: The status of a refusal; `nil` closes the connection without a response.
    package static func proxy(to port: Int, bodyBytesMax: Int, refusal: Int? = 413) throws -> LoopbackServer {
        try LoopbackServer { request, connection in
            guard request.body.count <= bodyBytesMax else {
                let page = "<html><body><h1>\(refusal ?? 0) Refused</h1></body></html>"
                if let refusal {
                    connection.send(
                        "HTTP/1.1 \(refusal) Refused\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n"
                            + "Connection: close\r\n\r\n\(page)")
                }
                return .close
            }
            guard let answer = exchange(request, port) else { return .close }
            return connection.send(answer) ? .keep : .close
        }
    }

    /// Forwards a request over a connection of its own, and reads the complete response.
    private static func exchange(_ request: ReceivedRequest, _ port: Int) -> [UInt8]? {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let upstream = LoopbackConnection(socket: socket)
        defer { upstream.close() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected, upstream.send(request.bytes) else { return nil }
        var answer: [UInt8] = []
        while true {
            if let length = length(of: answer), answer.count >= length { return Array(answer.prefix(length)) }
            guard let more = upstream.read() else { return nil }
            answer += more
        }
    }

    /// Returns the length of a response including its head, in bytes; `nil` while the head is not complete.
    private static func length(of answer: [UInt8]) -> Int? {
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
            .components(separatedBy: "\r\n")
        let length = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        return end.upperBound + length
    }
}
