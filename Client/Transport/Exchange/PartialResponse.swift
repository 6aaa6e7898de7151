/// A response while it arrives. Its limits are checked with every chunk of bytes.
struct PartialResponse {
    /// The limit that a response has exceeded.
    enum Excess: Hashable {
        case body(bytesMax: Int)
        case headers(bytesMax: Int)
    }

    private(set) var headers = HTTPHeaders()
    private(set) var body: [UInt8] = []
    /// The exceeded limit. It is set once; nothing is received after it.
    private(set) var excess: Excess?
    private let bodyBytesMax: Int
    private let headerBytesMax: Int
    private var headerBytes = 0

    init(bodyBytesMax: Int, headerBytesMax: Int) {
        self.bodyBytesMax = bodyBytesMax
        self.headerBytesMax = headerBytesMax
    }

    /// Appends decompressed bytes.
    ///
    /// - Returns: Whether they were appended; if not, ``excess`` is the reason.
    mutating func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= bodyBytesMax - body.count else {
            excess = .body(bytesMax: bodyBytesMax)
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// Accepts one line: a status line, a field, or the empty line after the last field.
    ///
    /// - Returns: Whether it was accepted; if not, ``excess`` is the reason.
    mutating func receiveHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= headerBytesMax else {
            excess = .headers(bytesMax: headerBytesMax)
            return false
        }
        // An interim response (100, 103) has its own status line and fields: only those of the last response count.
        if bytes.starts(with: "HTTP/".utf8) {
            headers = HTTPHeaders()
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
            headers.append(name, String(decoding: Self.trimmed(bytes[(colon + 1)...]), as: UTF8.self))
        }
        return true
    }

    private static func trimmed(_ value: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        guard let first = value.firstIndex(where: { $0 > 0x20 }), let last = value.lastIndex(where: { $0 > 0x20 })
        else { return value[value.endIndex...] }
        return value[first...last]
    }
}
