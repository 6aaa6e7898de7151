internal import Foundation

/// A request as it came in.
package struct ReceivedRequest: Sendable, Hashable {
    /// Method, path and version.
    package let line: String
    /// In lower case, as `name: value`.
    package let fields: [String]
    package let body: [UInt8]

    /// Reads a request; `nil` while it is not complete.
    package init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        line = lines.first ?? ""
        fields = lines.dropFirst().map { $0.lowercased() }
        let length = fields.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        guard bytes.count - end.upperBound >= length else { return nil }
        body = Array(bytes[end.upperBound...].prefix(length))
    }
}
