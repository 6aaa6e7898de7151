internal import CZstd

/// One zstd frame (RFC 8878).
enum Zstd {
    private static let chunkBytes = 64 * 1024
    /// A frame may ask for a window of at most 16 MiB: as much as the largest body.
    private static let windowLogMax: Int32 = 24

    static func compress(_ bytes: [UInt8], level: Int) throws(CompressionError) -> [UInt8] {
        let bound = ZSTD_compressBound(bytes.count)
        var code = 0
        let result = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            code = bytes.withUnsafeBytes {
                ZSTD_compress(buffer.baseAddress, bound, $0.baseAddress, $0.count, Int32(clamping: level))
            }
            count = ZSTD_isError(code) == 0 ? code : 0
        }
        guard ZSTD_isError(code) == 0 else { throw .outOfMemory }
        return result
    }

    static func decompress(_ bytes: [UInt8], into output: inout BoundedOutput) throws(CompressionError) {
        guard let context = ZSTD_createDCtx() else { throw .outOfMemory }
        defer { ZSTD_freeDCtx(context) }
        _ = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, windowLogMax)
        let stated = bytes.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        // The two greatest numbers mean "not stated" and "no frame".
        if stated < UInt64.max - 1 { output.reserve(stated) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
        defer { chunk.deallocate() }
        let failure = bytes.withUnsafeBytes { input in
            Result<Void, CompressionError> { () throws(CompressionError) in
                try run(context, input, chunk, &output)
            }
        }
        try failure.get()
    }

    private static func run(
        _ context: OpaquePointer, _ bytes: UnsafeRawBufferPointer, _ chunk: UnsafeMutableRawBufferPointer,
        _ output: inout BoundedOutput
    ) throws(CompressionError) {
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        while true {
            var produced = ZSTD_outBuffer(dst: chunk.baseAddress, size: chunk.count, pos: 0)
            let before = input.pos
            let left = ZSTD_decompressStream(context, &produced, &input)
            guard ZSTD_isError(left) == 0 else { throw .malformed(.zstd) }
            try output.append(UnsafeRawBufferPointer(rebasing: chunk[..<produced.pos]))
            if left == 0 {
                guard input.pos == input.size else { throw .trailingBytes(.zstd) }
                return
            }
            if input.pos == before, produced.pos == 0 { throw .truncated(.zstd) }
        }
    }
}
