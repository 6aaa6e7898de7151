internal import NIOCore

/// The body of one request. No more of it is read from the connection than ``heldMax`` until somebody collects it: whoever has no
/// access cannot make the server hold large ones.
final class RequestBody: @unchecked Sendable {
    // Everything but the loop itself is used on the loop's thread only.
    private let loop: any EventLoop
    private var bytes = ByteBuffer()
    private var hasEnded = false
    private var isGivenUp = false
    private var collector: (bytesMax: Int, promise: EventLoopPromise<ByteBuffer>)?
    /// Reads on; called when somebody begins to collect, with whether any of it has come.
    private let resume: (Bool) -> Void

    static let heldMax = 64 * 1024

    init(_ loop: any EventLoop, resume: @escaping (Bool) -> Void) {
        self.loop = loop
        self.resume = resume
    }

    /// All of the body.
    ///
    /// - Throws: `NIOTooManyBytesError` as soon as it is longer than `bytesMax`; `ChannelError.inputClosed` where the connection ends
    ///   before it.
    func collect(upTo bytesMax: Int) async throws -> ByteBuffer {
        // Requests are answered on the loop's thread, and small ones come with their heads.
        if loop.inEventLoop, hasEnded, !isGivenUp {
            guard bytes.readableBytes <= bytesMax else { throw NIOTooManyBytesError(maxBytes: bytesMax) }
            defer { bytes = ByteBuffer() }
            return bytes
        }
        return try await loop.flatSubmit { [self] in
            let promise = loop.makePromise(of: ByteBuffer.self)
            guard !isGivenUp else {
                promise.fail(ChannelError.inputClosed)
                return promise.futureResult
            }
            collector = (bytesMax, promise)
            deliver()
            if collector != nil { resume(bytes.readableBytes > 0) }
            return promise.futureResult
        }.get()
    }

    // MARK: On the loop's thread

    /// Whether more of it may be read from the connection.
    var isWanted: Bool { collector != nil || bytes.readableBytes < Self.heldMax }

    func append(_ part: ByteBuffer) {
        bytes.writeImmutableBuffer(part)
        deliver()
    }

    func end() {
        hasEnded = true
        deliver()
    }

    /// The connection ends, or nobody will ask any more: what is left of the body is for nobody.
    func giveUp() {
        isGivenUp = true
        collector?.promise.fail(ChannelError.inputClosed)
        collector = nil
        bytes = ByteBuffer()
    }

    private func deliver() {
        guard let (bytesMax, promise) = collector else { return }
        if bytes.readableBytes > bytesMax {
            collector = nil
            promise.fail(NIOTooManyBytesError(maxBytes: bytesMax))
        } else if hasEnded {
            collector = nil
            promise.succeed(bytes)
            bytes = ByteBuffer()
        }
    }
}
