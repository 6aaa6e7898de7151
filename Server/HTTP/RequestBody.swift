internal import NIOCore

/// The body of one request. Until it is collected, at most ``heldMax`` bytes of it are read from the connection: an
/// unauthenticated caller cannot make the server hold large bodies.
final class RequestBody: @unchecked Sendable {
    // `@unchecked Sendable`: everything but the loop itself is used on the loop's thread only.
    private let loop: any EventLoop
    private var bytes = ByteBuffer()
    private var hasEnded = false
    private var isGivenUp = false
    private var collector: (bytesMax: Int, admit: Admission, promise: EventLoopPromise<ByteBuffer>)?
    /// Resumes reading. Called when collecting begins, with a flag that some bytes have arrived.
    private let resume: (Bool) -> Void

    /// A callback with the number of bytes that have arrived. It throws if no more may be held.
    typealias Admission = @Sendable (Int) throws -> Void

    static let heldMax = 64 * 1024

    init(_ loop: any EventLoop, resume: @escaping (Bool) -> Void) {
        self.loop = loop
        self.resume = resume
    }

    /// Collects the whole body.
    ///
    /// - Parameter admit: Called with each part that arrives.
    /// - Throws: `NIOTooManyBytesError` as soon as the body is longer than `bytesMax`; errors of `admit`;
    ///   `ChannelError.inputClosed` if the connection ends before the body.
    func collect(upTo bytesMax: Int, admit: @escaping Admission) async throws -> ByteBuffer {
        // Requests are answered on the loop's thread, and small bodies arrive with their heads.
        if loop.inEventLoop, hasEnded, !isGivenUp {
            guard bytes.readableBytes <= bytesMax else { throw NIOTooManyBytesError(maxBytes: bytesMax) }
            defer { bytes = ByteBuffer() }
            try admit(bytes.readableBytes)
            return bytes
        }
        return try await loop.flatSubmit { [self] in
            let promise = loop.makePromise(of: ByteBuffer.self)
            guard !isGivenUp else {
                promise.fail(ChannelError.inputClosed)
                return promise.futureResult
            }
            collector = (bytesMax, admit, promise)
            deliver()
            if collector != nil { resume(bytes.readableBytes > 0) }
            return promise.futureResult
        }.get()
    }

    // MARK: On the loop's thread

    /// Whether more of the body may be read from the connection.
    var isWanted: Bool { collector != nil || bytes.readableBytes < Self.heldMax }

    func append(_ part: ByteBuffer) {
        bytes.writeImmutableBuffer(part)
        deliver()
    }

    func end() {
        hasEnded = true
        deliver()
    }

    /// Discards the rest of the body, because the connection ends or no reader will collect it.
    func giveUp() {
        isGivenUp = true
        collector?.promise.fail(ChannelError.inputClosed)
        collector = nil
        bytes = ByteBuffer()
    }

    private func deliver() {
        guard let (bytesMax, admit, promise) = collector else { return }
        let result = Result { () throws -> ByteBuffer? in
            guard bytes.readableBytes <= bytesMax else { throw NIOTooManyBytesError(maxBytes: bytesMax) }
            try admit(bytes.readableBytes)
            return hasEnded ? bytes : nil
        }
        if case .success(nil) = result { return }
        collector = nil
        bytes = ByteBuffer()
        promise.completeWith(result.map { $0 ?? ByteBuffer() })
    }
}
