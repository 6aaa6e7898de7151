/// What a request line names: a path and the parameters after it.
struct RequestTarget: Sendable {
    /// As it was sent: the protocol's paths need no escapes.
    let path: Substring
    private let query: Substring

    /// - Parameter text: `/path?query`, or the same after a scheme and a host, as proxies are sent it.
    init(_ text: String) {
        var rest = text[...]
        if !rest.hasPrefix("/"), let scheme = rest.firstRange(of: "://") {
            let origin = rest[scheme.upperBound...]
            rest = origin.firstIndex(of: "/").map { origin[$0...] } ?? "/"
        }
        let end = rest.firstIndex(of: "?") ?? rest.endIndex
        path = rest[..<end]
        let after = end < rest.endIndex ? rest[rest.index(after: end)...] : ""
        query = after.prefix { $0 != "#" }
    }

    /// The first value of a parameter; `nil` where there is none.
    subscript(_ name: String) -> String? {
        for pair in query.split(separator: "&") {
            let end = pair.firstIndex(of: "=") ?? pair.endIndex
            guard pair[..<end] == name else { continue }
            return Self.unescaped(end < pair.endIndex ? pair[pair.index(after: end)...] : "")
        }
        return nil
    }

    /// With `%41` as `A`; an escape that is none stays as it is.
    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("%") else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
