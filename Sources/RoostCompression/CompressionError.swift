/// The reason why bytes could not be compressed or decompressed.
package enum CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The result would have more than this many bytes.
    case tooLarge(bytesMax: Int)
    /// The result would be more than this many times larger than the input.
    case ratioTooHigh(ratioMax: Int)
    /// The bytes are not of this encoding, or a checksum in them does not match.
    case malformed(ContentEncoding)
    /// The bytes end before the encoding's end.
    case truncated(ContentEncoding)
    /// Bytes follow the end: garbage, or a second member or frame.
    case trailingBytes(ContentEncoding)
    /// The library had no memory for its work.
    case outOfMemory

    package var description: String {
        switch self {
        case .tooLarge(let bytesMax):
            "Cannot decompress the body: it becomes larger than \(bytesMax) bytes. Send less at once."
        case .ratioTooHigh(let ratioMax):
            "Cannot decompress the body: it becomes more than \(ratioMax) times larger than sent. Send it uncompressed."
        case .malformed(let encoding):
            "Cannot decompress the body: it is not \(encoding.rawValue), or its checksum does not match. Send it again."
        case .truncated(let encoding):
            "Cannot decompress the body: its \(encoding.rawValue) data ends too early. Send it again."
        case .trailingBytes(let encoding):
            "Cannot decompress the body: something follows its \(encoding.rawValue) data. Send one member only."
        case .outOfMemory: "Cannot compress or decompress the body: there is no memory left. Try again later."
        }
    }
}
