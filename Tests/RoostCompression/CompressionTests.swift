import RoostCompression
import Testing

@Suite struct CompressionTests {
    private static let text = Array("the records fly off and come home to roost; ".utf8)
    private static let long = (0..<5000).flatMap { index in text + [UInt8(truncatingIfNeeded: index)] }

    private static func compressed(_ bytes: [UInt8], _ encoding: ContentEncoding) throws -> [UInt8] {
        switch encoding {
        case .identity: bytes
        case .gzip: try Compression.gzip(bytes)
        case .zstd: try Compression.zstd(bytes)
        }
    }

    private static func decompress(_ bytes: [UInt8], _ encoding: ContentEncoding) throws -> [UInt8] {
        try Compression.decompress(bytes, encoding: encoding, bytesMax: 1 << 20, ratioMax: 100)
    }

    @Test(arguments: ContentEncoding.allCases, [0, 1, 45, 225_000])
    func roundTripGivesTheSameBytes(encoding: ContentEncoding, count: Int) throws {
        let bytes = Array(Self.long.prefix(count))
        #expect(try Self.decompress(Self.compressed(bytes, encoding), encoding) == bytes)
    }

    @Test(arguments: ContentEncoding.allCases)
    func oneByteOverTheBoundIsTooLarge(encoding: ContentEncoding) throws {
        let sent = try Self.compressed(Self.long, encoding)
        #expect(throws: CompressionError.tooLarge(bytesMax: Self.long.count - 1)) {
            try Compression.decompress(sent, encoding: encoding, bytesMax: Self.long.count - 1, ratioMax: 1000)
        }
        #expect(
            try Compression.decompress(sent, encoding: encoding, bytesMax: Self.long.count, ratioMax: 1000) == Self.long
        )
    }

    /// The greater of 65,536 and 100 times the bytes that were sent (protocol.md §10).
    @Test(arguments: [ContentEncoding.gzip, .zstd])
    func aBodyMayGrowUpToItsBound(encoding: ContentEncoding) throws {
        let free = try Self.compressed([UInt8](repeating: 0, count: 65_536), encoding)
        #expect(try Self.decompress(free, encoding).count == 65_536)
        let beyond = try Self.compressed([UInt8](repeating: 0, count: 65_537), encoding)
        #expect(throws: CompressionError.ratioTooHigh(ratioMax: 100)) { try Self.decompress(beyond, encoding) }
        // Bytes that do not compress, so that what may grow is known to the byte.
        var state: UInt64 = 7
        let noise = (0..<1000).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        func sent(_ zeros: Int) throws -> [UInt8] {
            try Self.compressed(noise + [UInt8](repeating: 0, count: zeros), encoding)
        }
        var (low, high) = (60_000, 400_000)
        while high - low > 1 {
            let middle = (low + high) / 2
            let isAllowed = middle + 1000 <= max(65_536, try sent(middle).count * 100)
            (low, high) = isAllowed ? (middle, high) : (low, middle)
        }
        #expect(try Self.decompress(sent(low), encoding).count == low + 1000)
        #expect(throws: CompressionError.ratioTooHigh(ratioMax: 100)) { try Self.decompress(sent(high), encoding) }
    }

    @Test(arguments: [ContentEncoding.gzip, .zstd])
    func bombIsStoppedByItsRatio(encoding: ContentEncoding) throws {
        let bomb = try Self.compressed([UInt8](repeating: 0, count: 8 << 20), encoding)
        #expect(throws: CompressionError.ratioTooHigh(ratioMax: 100)) {
            try Compression.decompress(bomb, encoding: encoding, bytesMax: 16 << 20, ratioMax: 100)
        }
    }

    @Test(arguments: [ContentEncoding.gzip, .zstd])
    func sixtyFourKiBOfZerosPassWhateverTheirRatio(encoding: ContentEncoding) throws {
        let zeros = [UInt8](repeating: 0, count: 64 * 1024)
        #expect(try Self.decompress(Self.compressed(zeros, encoding), encoding) == zeros)
    }

    @Test(arguments: [ContentEncoding.gzip, .zstd], [1, 7, 20])
    func truncatedBodyIsRefused(encoding: ContentEncoding, missing: Int) throws {
        let sent = try Self.compressed(Self.long, encoding)
        #expect(throws: CompressionError.truncated(encoding)) {
            try Self.decompress(Array(sent.dropLast(missing)), encoding)
        }
    }

    @Test(arguments: [ContentEncoding.gzip, .zstd])
    func emptyBodyIsTruncated(encoding: ContentEncoding) {
        #expect(throws: CompressionError.truncated(encoding)) { try Self.decompress([], encoding) }
    }

    @Test(arguments: [ContentEncoding.gzip, .zstd])
    func trailingGarbageIsRefused(encoding: ContentEncoding) throws {
        let sent = try Self.compressed(Self.long, encoding)
        #expect(throws: CompressionError.trailingBytes(encoding)) { try Self.decompress(sent + [0], encoding) }
    }

    @Test(arguments: [ContentEncoding.gzip, .zstd])
    func secondMemberIsRefused(encoding: ContentEncoding) throws {
        let sent = try Self.compressed(Self.text, encoding)
        #expect(throws: CompressionError.trailingBytes(encoding)) { try Self.decompress(sent + sent, encoding) }
    }

    @Test func wrongChecksumIsMalformed() throws {
        var sent = try Compression.gzip(Self.long)
        sent[sent.count - 6] ^= 1
        #expect(throws: CompressionError.malformed(.gzip)) { try Self.decompress(sent, .gzip) }
    }

    @Test(arguments: [ContentEncoding.gzip, .zstd])
    func plainTextIsMalformed(encoding: ContentEncoding) {
        #expect(throws: CompressionError.malformed(encoding)) { try Self.decompress(Self.text, encoding) }
    }

    @Test func gzipOfGzipIsOneLayerOnly() throws {
        let inner = try Compression.gzip(Self.text)
        #expect(try Self.decompress(Compression.gzip(inner), .gzip) == inner)
    }
}
