internal import NIOCore
internal import NIOHTTP1

/// A check of a connection's bytes before they are parsed as HTTP, for two facts that the parsing library does not report:
/// whether an unknown method is well-formed, and whether the size of a chunk overflows.
final class FramingWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Whether the most recent bytes begin with a method, known or not, and a path, and no request has been parsed from
    /// them.
    var beginsWithMethod: Bool { hasMethod && heads == 0 }
    private var hasMethod = false
    private var chunks: ChunkSizes?
    private var beginsChunks = false
    /// The number of heads that ended within the most recent bytes.
    private var heads = 0
    /// The number of bytes of an empty line at the end of the previous bytes.
    private var lineEnd = 0

    /// The number of bytes at the start of a request line that are searched for a method. A longer word is no method.
    private static let methodBytesMax = 64

    /// Records that a head was parsed.
    ///
    /// - Parameter isChunked: Whether the bytes after the head begin a body in chunks.
    func recordHead(isChunked: Bool) {
        heads += 1
        beginsChunks = isChunked
    }

    func endBody() { (chunks, beginsChunks) = (nil, false) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        hasMethod = Self.isRequestLine(bytes.prefix(Self.methodBytesMax))
        heads = 0
        if var watched = chunks {
            guard watched.take(bytes) else { return refuse(context) }
            chunks = watched
        }
        context.fireChannelRead(data)
        let before = lineEnd
        lineEnd = Self.emptyLine(in: bytes.suffix(3), after: 0).matched
        guard beginsChunks else { return }
        beginsChunks = false
        // If several requests arrive at once, the boundary between them is unknown here.
        guard heads == 1, let body = Self.emptyLine(in: bytes, after: before).rest else { return }
        var watched = ChunkSizes()
        guard watched.take(body) else { return refuse(context) }
        chunks = watched
    }

    /// Whether the bytes begin with a method, a space and the first byte of a path.
    private static func isRequestLine(_ bytes: ByteBufferView) -> Bool {
        let method = bytes.prefix { $0 != UInt8(ascii: " ") }
        guard !method.isEmpty, method.allSatisfy(\.isTokenCharacter) else { return false }
        return "/*".utf8.contains(bytes.dropFirst(method.count + 1).first ?? 0)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        chunks = nil
        context.fireErrorCaught(HTTPParserError.invalidChunkSize)
    }

    /// Finds the bytes after the first empty line, of which `before` bytes may have arrived earlier. Without an empty line,
    /// it returns the number of its bytes at the end.
    private static func emptyLine(in bytes: ByteBufferView, after before: Int) -> (rest: ByteBufferView?, matched: Int)
    {
        var matched = before
        for index in bytes.indices {
            let expected = matched % 2 == 0 ? UInt8(ascii: "\r") : UInt8(ascii: "\n")
            matched = bytes[index] == expected ? matched + 1 : bytes[index] == UInt8(ascii: "\r") ? 1 : 0
            if matched == 4 { return (bytes[(index + 1)...], 0) }
        }
        return (nil, matched)
    }
}

/// A parser of the sizes of a body's chunks (RFC 9112, section 7.1). The library reports all other errors in them.
private struct ChunkSizes {
    private enum State {
        case size(UInt64)
        /// After the size, until the end of its line.
        case line(UInt64)
        /// The remaining bytes of a chunk and the line end after it.
        case data(UInt64)
        /// After the last chunk, or after an invalid size.
        case over
    }

    private var state = State.size(0)

    /// Parses the next bytes of a body.
    ///
    /// - Returns: `false` at a size that a counter of 63 bits cannot hold.
    mutating func take(_ bytes: ByteBufferView) -> Bool {
        var rest = bytes
        while let byte = rest.first {
            switch state {
            case .over: return true
            case .data(let count):
                let taken = min(count, UInt64(rest.count))
                rest = rest.dropFirst(Int(taken))
                state = count == taken ? .size(0) : .data(count - taken)
            case .line(let size):
                rest = rest.dropFirst()
                if byte == UInt8(ascii: "\n") { state = size == 0 ? .over : .data(size + 2) }
            case .size(let size):
                guard let digit = byte.hexadecimalDigit else {
                    state = .line(size)
                    continue
                }
                guard size < 1 << 59 else { return false }
                rest = rest.dropFirst()
                state = .size(size << 4 | digit)
            }
        }
        return true
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: UInt64? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(self & 0xF) + 9
        default: nil
        }
    }

    /// Whether the byte may be part of a method (RFC 9110, section 5.6.2).
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
