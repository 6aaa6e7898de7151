/// Whole bodies, compressed and decompressed within bounds.
package enum Compression {
    /// The ratio is looked at from this many bytes of output on: a short body of zeros is harmless.
    static let ratioFreeBytes = 64 * 1024

    /// Compresses into one zstd frame, which states its content's size.
    package static func zstd(_ bytes: [UInt8], level: Int = 3) throws(CompressionError) -> [UInt8] {
        try Zstd.compress(bytes, level: level)
    }

    /// Compresses into one gzip member.
    package static func gzip(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
        try Gzip.compress(bytes, level: 6)
    }

    /// Decompresses one whole body, stopping as soon as a bound is passed.
    ///
    /// No more than `bytesMax` bytes and a work buffer are ever held, whatever the input claims.
    ///
    /// - Parameters:
    ///   - bytesMax: The most bytes the result may have; holds for ``ContentEncoding/identity`` too.
    ///   - ratioMax: How many times larger than `bytes` the result may be once it is over 64 KiB.
    package static func decompress(
        _ bytes: [UInt8], encoding: ContentEncoding, bytesMax: Int, ratioMax: Int
    ) throws(CompressionError) -> [UInt8] {
        var output = BoundedOutput(inputCount: bytes.count, bytesMax: bytesMax, ratioMax: ratioMax)
        switch encoding {
        case .identity:
            guard bytes.count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
            return bytes
        case .gzip: try Gzip.decompress(bytes, into: &output)
        case .zstd: try Zstd.decompress(bytes, into: &output)
        }
        return output.bytes
    }
}
