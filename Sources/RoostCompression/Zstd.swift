internal import CZstd

/// One zstd frame (RFC 8878).
enum Zstd {
    private static let chunkBytes = 64 * 1024
    /// A frame may ask for a window of at most 16 MiB: as much as the largest body.
    private static let windowLogMax: Int32 = 24

    static func compress(_ bytes: [UInt8], level: Int) throws(CompressionError) -> [UInt8] {
        let bound = ZSTD_compressBound(bytes.count)
        var code: Int?
        let result = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            code = bytes.withUnsafeBytes { input in
                ZstdContexts.compressing.with { context in
                    ZSTD_compressCCtx(
                        context, buffer.baseAddress, bound, input.baseAddress, input.count, Int32(clamping: level))
                }
            }
            count = code.flatMap { ZSTD_isError($0) == 0 ? $0 : nil } ?? 0
        }
        guard let code, ZSTD_isError(code) == 0 else { throw .outOfMemory }
        return result
    }

    static func decompress(_ bytes: [UInt8], into output: inout BoundedOutput) throws(CompressionError) {
        let stated = bytes.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        // The two greatest numbers mean "not stated" and "no frame".
        if stated < UInt64.max - 1 { output.reserve(stated) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
        defer { chunk.deallocate() }
        let result = ZstdContexts.decompressing.with { context in
            // The previous frame may have ended in the middle.
            _ = ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters)
            _ = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, windowLogMax)
            return bytes.withUnsafeBytes { input in
                Result<Void, CompressionError> { () throws(CompressionError) in
                    try run(context, input, chunk, &output)
                }
            }
        }
        guard let result else { throw .outOfMemory }
        try result.get()
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
