/// A response as it comes in, held to its limits byte by byte.
struct PartialResponse {
    /// What ends a response that does not keep to its limits.
    enum Excess: Hashable {
        case body(bytesMax: Int)
        case headers(bytesMax: Int)
    }

    private(set) var headers = HTTPHeaders()
    private(set) var body: [UInt8] = []
    /// Set once; nothing is received after it.
    private(set) var excess: Excess?
    private let bodyBytesMax: Int
    private let headerBytesMax: Int
    private var headerBytes = 0

    init(bodyBytesMax: Int, headerBytesMax: Int) {
        self.bodyBytesMax = bodyBytesMax
        self.headerBytesMax = headerBytesMax
    }

    /// Takes decompressed bytes.
    ///
    /// - Returns: Whether they were taken; if not, ``excess`` says why.
    mutating func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= bodyBytesMax - body.count else {
            excess = .body(bytesMax: bodyBytesMax)
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// Takes one line: a status line, a field, or the empty line after the last one.
    ///
    /// - Returns: Whether it was taken; if not, ``excess`` says why.
    mutating func receiveHeaderLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= headerBytesMax else {
            excess = .headers(bytesMax: headerBytesMax)
            return false
        }
        // An interim response (100, 103) has a status line and fields of its own: only the last one's count.
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
