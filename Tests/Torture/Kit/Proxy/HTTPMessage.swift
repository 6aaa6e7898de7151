internal import Foundation

/// One HTTP/1.1 message as bytes: its head, and a body whose length the head says.
struct HTTPMessage: Sendable {
    var head: [UInt8]
    var body: [UInt8]

    var bytes: [UInt8] { head + body }

    /// The first line without the version: `POST /v1/push`, with no query.
    var request: String {
        let line = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
        return line.count < 2 ? "" : "\(line[0]) \(line[1].prefix { $0 != "?" })"
    }

    /// Reads one message.
    ///
    /// - Parameter rest: Bytes that came before; what follows the message is left in it.
    /// - Returns: `nil` where the other side ends before the message does.
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

    /// The value of a header field.
    ///
    /// - Parameter name: In lower case.
    func field(_ name: String) -> String? {
        lines.dropFirst().first { $0.lowercased().hasPrefix(name + ":") }
            .map { $0.dropFirst(name.utf8.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    /// The status of a reply; 0 for what is none.
    var status: Int {
        let parts = lines.first?.split(separator: " ") ?? []
        return parts.count < 2 ? 0 : Int(parts[1]) ?? 0
    }

    /// The same request without its query, for a reply that is not compressed.
    var plain: HTTPMessage {
        let fields = lines.dropFirst().filter { !$0.lowercased().hasPrefix("accept-encoding:") }
        let text = (["\(request) HTTP/1.1"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        return HTTPMessage(head: Array(text.utf8), body: body)
    }
}
