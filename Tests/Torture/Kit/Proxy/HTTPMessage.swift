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
        for line in String(decoding: head, as: UTF8.self).lowercased().split(whereSeparator: \.isNewline)
        where line.hasPrefix("content-length:") {
            return Int(line.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
        }
        return 0
    }
}
