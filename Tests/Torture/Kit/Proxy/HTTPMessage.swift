internal import Foundation

/// One HTTP/1.1 message as bytes: its head, and a body of the length that the head gives.
struct HTTPMessage: Sendable {
    var head: [UInt8]
    var body: [UInt8]

    var bytes: [UInt8] { head + body }

    /// The method and the path, without the query: `POST /v1/push`.
    var request: String {
        let line = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
        return line.count < 2 ? "" : "\(line[0]) \(line[1].prefix { $0 != "?" })"
    }

    /// Reads one message.
    ///
    /// - Parameter rest: Bytes that were read before. The bytes after the message are left in it.
    /// - Returns: `nil` if the other side closes the connection before the message is complete.
    static func read(from socket: Socket, rest: inout [UInt8]) -> HTTPMessage? {
        let end: [UInt8] = [13, 10, 13, 10]
        var headEnd: Int?
        while headEnd == nil {
            headEnd = rest.indices.first { rest[$0...].starts(with: end) }.map { $0 + 4 }
            guard headEnd == nil else { break }
            let more = socket.receive()
            guard !more.isEmpty, rest.count < 1 << 20 else { return nil }
            rest += more
        }
        guard let headEnd else { return nil }
        let head = Array(rest[..<headEnd])
        let length = bodyLength(head)
        while rest.count < headEnd + length {
            let more = socket.receive()
            guard !more.isEmpty else { return nil }
            rest += more
        }
        defer { rest = Array(rest[(headEnd + length)...]) }
        return HTTPMessage(head: head, body: Array(rest[headEnd..<(headEnd + length)]))
    }

    private static func bodyLength(_ head: [UInt8]) -> Int {
        HTTPMessage(head: head, body: []).field("content-length").flatMap { Int($0) } ?? 0
    }

    // MARK: The head

    private var lines: [Substring] { String(decoding: head, as: UTF8.self).split(separator: "\r\n") }

    /// Returns the value of a header field.
    ///
    /// - Parameter name: The name in lower case.
    func field(_ name: String) -> String? {
        lines.dropFirst().first { $0.lowercased().hasPrefix(name + ":") }
            .map { $0.dropFirst(name.utf8.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    /// The status of a reply; 0 if the message is none.
    var status: Int {
        let parts = lines.first?.split(separator: " ") ?? []
        return parts.count < 2 ? 0 : Int(parts[1]) ?? 0
    }

    /// The request without its query, for an uncompressed reply.
    var plain: HTTPMessage {
        let fields = lines.dropFirst().filter { !$0.lowercased().hasPrefix("accept-encoding:") }
        let text = (["\(request) HTTP/1.1"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        return HTTPMessage(head: Array(text.utf8), body: body)
    }
}
