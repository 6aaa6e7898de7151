internal import NIOCore
internal import NIOHTTP1

/// A handler that answers the requests of one connection in order, each in a task on the connection's own thread.
///
/// While a request is being answered, the handler reads the next input once and keeps it. Turning reading off and on for
/// each request would be two system calls for input that hardly any client sends.
final class RequestHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPServerResponsePart

    /// The state of the connection.
    private enum State {
        case idle
        /// A request is being answered. Its body may still be arriving.
        case answering(HTTPRequestHead, RequestBody, hasWhole: Bool)
        /// A reply is made while it is sent. Nothing is read meanwhile.
        case sending(ReplyInPieces)
        /// A request was answered before its body arrived, which is discarded.
        case skipping
        case closing
    }

    private let responder: SyncResponder
    private let tally: RequestTally
    private var state = State.idle
    private var parts = CircularBuffer<HTTPServerRequestPart>()
    private var hasHeldRead = false
    /// Whether the last request ends HTTP on this connection, so that no later input is parsed as HTTP.
    private var endsHTTP = false
    private var isPieceScheduled = false
    private var isQuiescing = false
    private var hasInputEnded = false
    /// The number of replies that the operating system has not taken yet.
    private var unsent = 0

    /// The maximum number of parts of requests in the queue, far more than one read brings.
    private static let partsMax = 16_384

    private var settings: HTTPSettings { responder.settings }

    init(_ responder: SyncResponder, _ tally: RequestTally) {
        self.responder = responder
        self.tally = tally
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parts.append(unwrapInboundIn(data))
        // At the end of a connection, all its input arrives, requested or not.
        if parts.count > Self.partsMax { return context.close(promise: nil) }
        work(context)
    }

    func read(context: ChannelHandlerContext) {
        switch state {
        case .answering(_, let body, hasWhole: false): hasHeldRead = !body.isWanted
        // Input that the library no longer parses as HTTP would accumulate in the library.
        case .answering(_, _, hasWhole: true): hasHeldRead = !parts.isEmpty || endsHTTP
        // A client that does not receive its replies is not read from.
        case .idle: hasHeldRead = !context.channel.isWritable
        case .sending: hasHeldRead = true
        case .skipping: hasHeldRead = false
        case .closing: hasHeldRead = endsHTTP
        }
        if !hasHeldRead { context.read() }
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard hasHeldRead else { return }
        hasHeldRead = false
        read(context: context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            scheduleNextPiece(context)
            work(context)
            readOn(context)
        }
        context.fireChannelWritabilityChanged()
    }

    private func work(_ context: ChannelHandlerContext) {
        while !parts.isEmpty {
            switch state {
            case .answering(_, _, hasWhole: true), .sending: return
            case .closing: parts.removeAll()
            case .idle:
                guard context.channel.isWritable else { return }
                // Any other part belongs to no request.
                if case .head(let head) = parts.removeFirst() { answer(head, context) }
            case .answering(let head, let body, hasWhole: false):
                switch parts.removeFirst() {
                case .head: return context.close(promise: nil)
                case .body(let bytes): body.append(bytes)
                case .end:
                    state = .answering(head, body, hasWhole: true)
                    body.end()
                }
            case .skipping:
                if case .end = parts.removeFirst() { state = .idle }
            }
        }
        closeIfOver(context)
    }

    // MARK: Answering

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let loop = context.eventLoop
        let bound = NIOLoopBound((self, context), eventLoop: loop)
        let body = RequestBody(loop) { hasBegun in
            let (handler, context) = bound.value
            if !hasBegun, head.waitsToContinue { handler.letContinue(context) }
            handler.readOn(context)
        }
        state = .answering(head, body, hasWhole: false)
        endsHTTP = head.endsHTTP
        let request = Request(head, body, context.channel)
        tally.begin()
        Task(executorPreference: ConnectionExecutor(loop)) { [responder, tally] in
            let response = await responder.respond(to: request)
            let send: @Sendable () -> Void = {
                let (handler, context) = bound.value
                handler.send(response, to: head, context)
                tally.end()
            }
            if loop.inEventLoop { send() } else { loop.execute(send) }
        }
    }

    /// Sends `100 Continue` to a client that waits for it.
    private func letContinue(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.head(.init(version: .http1_1, status: .continue))), promise: nil)
    }

    private func send(_ response: Response, to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard case .answering(_, let body, let hasWhole) = state else { return }
        body.giveUp()
        var headers = response.headers
        let isOver = isQuiescing || hasInputEnded && (parts.isEmpty || !hasWhole)
        // In HTTP/1.0 a body without a stated length ends with its connection.
        let endsByClosing = response.pieces != nil && head.version != .http1_1
        let isClosing =
            isOver || endsHTTP || !head.isKeepAlive || endsByClosing || headers["connection"].contains("close")
        if isClosing { headers.replaceOrAdd(name: "Connection", value: "close") }
        if let pieces = response.pieces {
            state = .sending(
                ReplyInPieces(pieces: pieces, share: response.share, isClosing: isClosing, hasWhole: hasWhole))
            let version: HTTPVersion = endsByClosing ? .http1_0 : .http1_1
            let answer = HTTPResponseHead(version: version, status: response.status, headers: headers)
            context.write(wrapOutboundOut(.head(answer)), promise: nil)
            return sendPiece(context)
        }
        headers.replaceOrAdd(name: "Content-Length", value: String(response.body.readableBytes))
        let answer = HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        if response.body.readableBytes > 0, head.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(response.body))), promise: nil)
        }
        finish(response.share, isClosing: isClosing, hasWhole: hasWhole, context)
    }

    /// Schedules the next piece after the pending work of this thread, so that pieces are interleaved with other
    /// connections.
    private func scheduleNextPiece(_ context: ChannelHandlerContext) {
        guard case .sending = state, !isPieceScheduled else { return }
        isPieceScheduled = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, context) = bound.value
            handler.isPieceScheduled = false
            handler.sendPiece(context)
        }
    }

    /// Writes the next piece of a reply, unless the operating system has not taken the previous one yet.
    private func sendPiece(_ context: ChannelHandlerContext) {
        guard case .sending(var reply) = state, context.channel.isWritable else { return }
        // Moving the reply out of the state avoids a copy of megabytes.
        state = .idle
        let piece = reply.next(.now(), settings)
        state = .sending(reply)
        switch piece {
        case .abandon: context.close(promise: nil)
        case .more(let bytes):
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
            scheduleNextPiece(context)
        case .end: finish(reply.share, isClosing: reply.isClosing, hasWhole: reply.hasWhole, context)
        }
    }

    /// Writes the end of a reply, and continues with the next request.
    private func finish(
        _ share: ByteBudget.Share?, isClosing: Bool, hasWhole: Bool, _ context: ChannelHandlerContext
    ) {
        state = isClosing ? .closing : hasWhole ? .idle : .skipping
        // ``ConnectionHandler`` closes the connection after a reply with `Connection: close`.
        let isSent = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        unsent += 1
        isSent.futureResult.whenComplete { _ in
            let (handler, context) = bound.value
            handler.unsent -= 1
            handler.closeIfOver(context)
            withExtendedLifetime(share) {}
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: isSent)
        work(context)
        readOn(context)
    }

    /// Closes an idle connection that will have no more requests, once the operating system has taken the last reply.
    private func closeIfOver(_ context: ChannelHandlerContext) {
        guard isQuiescing || hasInputEnded && parts.isEmpty, unsent == 0 else { return }
        switch state {
        case .idle, .skipping: context.close(promise: nil)
        case .answering, .sending, .closing: break
        }
    }

    // MARK: Ending

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: isQuiescing = true
        case let event as ChannelEvent where event == .inputClosed: hasInputEnded = true
        default: return context.fireUserInboundEventTriggered(event)
        }
        closeIfOver(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .answering(_, let body, _) = state { body.giveUp() }
        state = .closing
        parts.removeAll()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension HTTPRequestHead {
    /// Whether the library parses no HTTP after this request.
    fileprivate var endsHTTP: Bool { method == .CONNECT || headers.contains(name: "Upgrade") }

    /// Whether the request has no expectation, or only one that the server supports: `100-continue`.
    var hasKnownExpectation: Bool {
        headers["Expect"].allSatisfy { $0.inASCII.lowercased() == "100-continue" }
    }

    /// Whether the client waits for `100 Continue` before it sends its body (RFC 9110, 10.1.1).
    fileprivate var waitsToContinue: Bool {
        version == .http1_1 && headers["Expect"].contains { $0.inASCII.lowercased() == "100-continue" }
    }
}
