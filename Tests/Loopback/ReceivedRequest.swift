internal import Foundation

/// A request as it was received.
package struct ReceivedRequest: Sendable, Hashable {
    /// The request line: method, path and version.
    package let line: String
    /// The header fields in lower case, as `name: value`.
    package let fields: [String]
    package let body: [UInt8]
    /// All bytes of the request, as they were received.
    package let bytes: [UInt8]

    /// Parses a request; `nil` while it is not complete.
    package init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        self.bytes = bytes
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        line = lines.first ?? ""
        fields = lines.dropFirst().map { $0.lowercased() }
        let rest = bytes[end.upperBound...]
        if fields.contains("transfer-encoding: chunked") {
            guard let body = Self.joinedChunks(rest) else { return nil }
            self.body = body
            return
        }
        let length = fields.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        guard rest.count >= length else { return nil }
        body = Array(rest.prefix(length))
    }

    /// Joins a body in chunks (RFC 9112 §7.1), without extensions or trailers; `nil` while it is not complete.
    private static func joinedChunks(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var (rest, body) = (bytes, [UInt8]())
        while let end = rest.firstRange(of: Array("\r\n".utf8)) {
            guard let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16),
                rest[end.upperBound...].count >= count + 2
            else { return nil }
            if count == 0 { return body }
            body += rest[end.upperBound...].prefix(count)
            rest = rest[end.upperBound...].dropFirst(count + 2)
        }
        return nil
    }
}
