internal import CZstd
internal import Synchronization

/// Contexts that are used again: to make one costs more than a short body.
///
/// `@unchecked Sendable`: whoever took it is the only one that has it.
class ZstdContext: @unchecked Sendable {
    let pointer: OpaquePointer

    fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }

    fileprivate var bytes: Int { 0 }

    /// The contexts that wait for the next body.
    fileprivate final class Waiting<Context: ZstdContext>: Sendable {
        private static var countMax: Int { 4 }
        /// A larger one has worked on a large body; it is not kept.
        private static var bytesMax: Int { 2 << 20 }

        private let contexts = Mutex<[Context]>([])

        func take() -> Context? { contexts.withLock { $0.popLast() } }

        func put(_ context: Context) {
            guard context.bytes <= Self.bytesMax else { return }
            contexts.withLock { if $0.count < Self.countMax { $0.append(context) } }
        }
    }
}

final class ZstdCompressor: ZstdContext, @unchecked Sendable {
    private static let waiting = Waiting<ZstdCompressor>()

    fileprivate override var bytes: Int { ZSTD_sizeof_CCtx(pointer) }

    deinit { ZSTD_freeCCtx(pointer) }

    /// Lends one; `nil` where there is no memory.
    static func with<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        guard let context = waiting.take() ?? ZSTD_createCCtx().map(ZstdCompressor.init) else { return nil }
        defer { waiting.put(context) }
        return body(context.pointer)
    }
}

final class ZstdDecompressor: ZstdContext, @unchecked Sendable {
    private static let waiting = Waiting<ZstdDecompressor>()

    fileprivate override var bytes: Int { ZSTD_sizeof_DCtx(pointer) }

    deinit { ZSTD_freeDCtx(pointer) }

    /// Lends one as new; `nil` where there is no memory.
    static func with<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        guard let context = waiting.take() ?? ZSTD_createDCtx().map(ZstdDecompressor.init) else { return nil }
        defer { waiting.put(context) }
        ZSTD_DCtx_reset(context.pointer, ZSTD_reset_session_and_parameters)
        return body(context.pointer)
    }
}
