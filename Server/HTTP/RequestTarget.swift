/// What a request line names: a path and the parameters after it.
///
/// Taken apart by bytes: what separates is ASCII, and by characters it took 3 % of what the server computes for a change.
struct RequestTarget: Sendable {
    /// As it was sent: the protocol's paths need no escapes.
    let path: Substring
    /// What stands after the path, up to a `#`.
    private let query: [UInt8]

    /// - Parameter text: `/path?query`, or the same after a scheme and a host, as proxies are sent it.
    init(_ text: String) {
        // The parameters of the protocol are of ASCII, too.
        let text = text.inASCII
        var rest = text[...]
        if rest.utf8.first != UInt8(ascii: "/"), let scheme = rest.firstRange(of: "://") {
            let origin = rest[scheme.upperBound...]
            rest = origin.utf8.firstIndex(of: UInt8(ascii: "/")).map { origin[$0...] } ?? "/"
        }
        let parts = Self.halves(rest, at: UInt8(ascii: "?"))
        path = parts.before
        query = Array(parts.after.utf8.prefix { $0 != UInt8(ascii: "#") })
    }

    /// The values of a parameter, in order.
    subscript(_ name: String) -> [String] {
        var values: [String] = []
        var start = 0
        while start < query.count {
            let end = query[start...].firstIndex(of: UInt8(ascii: "&")) ?? query.count
            let pair = query[start..<end]
            let separator = pair.firstIndex(of: UInt8(ascii: "=")) ?? end
            if pair[..<separator].elementsEqual(name.utf8) {
                values.append(Self.unescaped(pair[separator...].dropFirst()))
            }
            start = end + 1
        }
        return values
    }

    /// What stands before the first such byte, and what after it; all and nothing where there is none.
    private static func halves(_ text: Substring, at separator: UInt8) -> (before: Substring, after: Substring) {
        guard let end = text.utf8.firstIndex(of: separator) else { return (text, "") }
        return (text[..<end], text[text.utf8.index(after: end)...])
    }

    /// With `%41` as `A`; an escape that is none stays as it is.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
        guard text.contains(UInt8(ascii: "%")) else { return String(decoding: text, as: UTF8.self) }
        var bytes: [UInt8] = []
        var rest = text
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
