internal import CZstd
internal import Synchronization

/// A pool of contexts of one kind: creating a context costs more than compressing a short body.
final class ZstdContexts: Sendable {
    static let compressing = ZstdContexts(
        make: { ZSTD_createCCtx() }, bytes: { ZSTD_sizeof_CCtx($0) }, free: { ZSTD_freeCCtx($0) })
    static let decompressing = ZstdContexts(
        make: { ZSTD_createDCtx() }, bytes: { ZSTD_sizeof_DCtx($0) }, free: { ZSTD_freeDCtx($0) })

    /// A context. `@unchecked Sendable` because only the thread that took it from the pool uses it.
    private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// The maximum number of idle contexts.
    private static let countMax = 4
    /// The maximum size of an idle context in bytes. A larger one has worked on a large body, and is freed.
    private static let bytesMax = 2 << 20

    private let make: @Sendable () -> OpaquePointer?
    private let bytes: @Sendable (OpaquePointer) -> Int
    private let free: @Sendable (OpaquePointer) -> Void
    private let waiting = Mutex<[Context]>([])

    private init(
        make: @escaping @Sendable () -> OpaquePointer?, bytes: @escaping @Sendable (OpaquePointer) -> Int,
        free: @escaping @Sendable (OpaquePointer) -> Void
    ) {
        self.make = make
        self.bytes = bytes
        self.free = free
    }

    /// Lends a context, which keeps only the parameters of earlier bodies; `nil` if there is no memory for one.
    func with<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        guard let context = waiting.withLock({ $0.popLast() }) ?? make().map(Context.init) else { return nil }
        defer { giveBack(context) }
        return body(context.pointer)
    }

    private func giveBack(_ context: Context) {
        let isKept =
            bytes(context.pointer) <= Self.bytesMax
            && waiting.withLock { waiting in
                guard waiting.count < Self.countMax else { return false }
                waiting.append(context)
                return true
            }
        if !isKept { free(context.pointer) }
    }
}
