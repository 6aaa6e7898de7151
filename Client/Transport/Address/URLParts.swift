/// The parts of an absolute URL as written, not yet checked.
///
/// Only printable ASCII is accepted, and neither `@` nor `\` before the path, so that no two parsers find different hosts.
struct URLParts {
    static let bytesMax = 2048

    /// The scheme in lower case.
    let scheme: String
    /// The host; an IPv6 address has its brackets.
    let host: Substring
    let port: Substring?
    let path: Substring
    let query: Substring?
    let fragment: Substring?

    init(_ text: String) throws(AddressError) {
        guard text.utf8.count <= Self.bytesMax else { throw AddressError(.tooLong) }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
            throw AddressError(.badCharacter)
        }
        guard let separator = text.firstRange(of: "://") else { throw AddressError(.noScheme) }
        scheme = text[..<separator.lowerBound].lowercased()
        var rest = text[separator.upperBound...]
        fragment = Self.cut(&rest, at: "#")
        query = Self.cut(&rest, at: "?")
        let authorityEnd = rest.firstIndex(of: "/") ?? rest.endIndex
        path = rest[authorityEnd...]
        let authority = rest[..<authorityEnd]
        guard !authority.contains("@") else { throw AddressError(.hasCredentials) }
        // The colon of the port is the first one after the bracket of an IPv6 address.
        let hostEnd = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
        guard let hostEnd else { throw AddressError(.badHost) }
        let colon = authority[hostEnd...].firstIndex(of: ":")
        host = authority[..<(colon ?? authority.endIndex)]
        port = colon.map { authority[authority.index(after: $0)...] }
    }

    /// Removes the first `mark` and the text after it from `text`, and returns that text.
    private static func cut(_ text: inout Substring, at mark: Character) -> Substring? {
        guard let place = text.firstIndex(of: mark) else { return nil }
        defer { text = text[..<place] }
        return text[text.index(after: place)...]
    }
}
