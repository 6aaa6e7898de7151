internal import CZlib

/// One gzip member (RFC 1952).
enum Gzip {
    private static let chunkBytes = 64 * 1024

    static func compress(_ bytes: [UInt8], level: Int32) throws(CompressionError) -> [UInt8] {
        var stream = z_stream()
        guard czlib_deflate_init_gzip(&stream, level) == Z_OK else { throw .outOfMemory }
        defer { deflateEnd(&stream) }
        // deflateBound counts the gzip header as well, so that one call always finishes.
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        var code = Z_OK
        let result = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(clamping: buffer.count)
                code = deflate(&stream, Z_FINISH)
                count = bound - Int(stream.avail_out)
            }
        }
        guard code == Z_STREAM_END else { throw .outOfMemory }
        return result
    }

    static func decompress(_ bytes: [UInt8], into output: inout BoundedOutput) throws(CompressionError) {
        var stream = z_stream()
        guard czlib_inflate_init_gzip(&stream) == Z_OK else { throw .outOfMemory }
        defer { inflateEnd(&stream) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
        defer { chunk.deallocate() }
        let result = bytes.withUnsafeBufferPointer { input in
            Result<Void, CompressionError> { () throws(CompressionError) in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(clamping: input.count)
                try run(&stream, chunk, &output)
            }
        }
        try result.get()
    }

    private static func run(
        _ stream: inout z_stream, _ chunk: UnsafeMutableRawBufferPointer, _ output: inout BoundedOutput
    ) throws(CompressionError) {
        while true {
            stream.next_out = chunk.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.avail_out = UInt32(chunk.count)
            let code = inflate(&stream, Z_NO_FLUSH)
            let produced = chunk.count - Int(stream.avail_out)
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
                throw code == Z_MEM_ERROR ? .outOfMemory : .malformed(.gzip)
            }
            try output.append(UnsafeRawBufferPointer(rebasing: chunk[..<produced]))
            if code == Z_STREAM_END {
                guard stream.avail_in == 0 else { throw .trailingBytes(.gzip) }
                return
            }
            if produced == 0 { throw .truncated(.gzip) }
        }
    }
}
