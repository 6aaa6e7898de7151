/// Whole bodies, compressed and decompressed within bounds.
package enum Compression {
    /// The number of bytes of output from which the ratio is checked: a short body of zeros is harmless.
    static let ratioFreeBytes = 64 * 1024

    /// Compresses into one zstd frame, which states its content's size.
    package static func zstd(_ bytes: [UInt8], level: Int = 3) throws(CompressionError) -> [UInt8] {
        try Zstd.compress(bytes, level: level)
    }

    /// Compresses into one gzip member.
    package static func gzip(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
        try Gzip.compress(bytes, level: 6)
    }

    /// Decompresses one whole body, and stops as soon as a bound is exceeded.
    ///
    /// No more than `bytesMax` bytes and a work buffer are ever held, whatever the input claims.
    ///
    /// - Parameters:
    ///   - bytesMax: The maximum number of bytes of the result, for ``ContentEncoding/identity`` too.
    ///   - ratioMax: The maximum ratio of the result's size to that of `bytes`, checked once the result is over 64 KiB.
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
