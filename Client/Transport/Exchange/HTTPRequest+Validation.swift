extension HTTPRequest {
    static let pathBytesMax = 8 * 1024
    static let headerBytesMax = 16 * 1024
    static let headerFieldsMax = 64

    /// The fields that frame a message or name its target. Only the transport sets them.
    private static let reserved: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "te", "trailer",
        "upgrade", "cookie",
    ]

    /// Refuses a request that a server could read as another one.
    ///
    /// - Throws: ``TransportError/Cause/invalidRequest``.
    func validate() throws(TransportError) {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= Self.pathBytesMax,
            path.hasOnly({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") })
        else {
            throw .invalidRequest(
                "its path does not start with \"/\", is over \(Self.pathBytesMax) bytes, or has characters to escape",
                cure: "Percent-encode the path")
        }
        guard headers.fields.count <= Self.headerFieldsMax,
            headers.fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) <= Self.headerBytesMax
        else {
            throw .invalidRequest(
                "its headers are over \(Self.headerFieldsMax) fields or \(Self.headerBytesMax) bytes",
                cure: "Send fewer headers")
        }
        for field in headers.fields { try Self.validate(field) }
        guard method != .get || body.isEmpty else {
            throw .invalidRequest("a GET has no body", cure: "Use POST")
        }
    }

    private static func validate(_ field: HTTPHeaders.Field) throws(TransportError) {
        guard !field.name.isEmpty, field.name.hasOnly(isTokenByte) else {
            throw .invalidRequest("a header name has characters that no name has", cure: "Correct the name")
        }
        guard field.value.hasOnly({ ($0 >= 0x20 && $0 < 0x7F) || $0 == 0x09 }) else {
            throw .invalidRequest(
                "the value of header \"\(field.name)\" has a line break, a control character or a byte outside ASCII",
                cure: "Encode the value")
        }
        guard !reserved.contains(field.name.lowercased()) else {
            throw .invalidRequest("header \"\(field.name)\" is the transport's own", cure: "Leave it out")
        }
    }

    /// Returns whether a byte may occur in a token (RFC 9110 §5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension String {
    /// Returns whether all bytes satisfy `isRight`. Reading them in place takes a third of the time of iterating over `utf8`.
    fileprivate func hasOnly(_ isRight: (UInt8) -> Bool) -> Bool {
        var text = self
        return text.withUTF8 { $0.allSatisfy(isRight) }
    }
}
