internal import NIOCore
internal import NIOHTTP1

/// Has the requests of one connection answered, one after the other, each by a task on the connection's own thread.
///
/// While a request is being answered no more is read from the connection than what comes next, once; it waits here. To turn reading off
/// and on again with each request would be two calls of the system for something that hardly any client sends.
final class RequestHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPServerResponsePart

    /// Where the connection is.
    private enum State {
        case idle
        /// Being answered; its body may still be on its way.
        case answering(HTTPRequestHead, RequestBody, hasWhole: Bool)
        /// The reply is made while it is sent. Nothing more is read meanwhile.
        case sending(ReplyInPieces)
        /// Answered before its body had come, which is of no use any more.
        case skipping
        case closing
    }

    private let responder: SyncResponder
    private let tally: RequestTally
    private var state = State.idle
    private var parts = CircularBuffer<HTTPServerRequestPart>()
    private var hasHeldRead = false
    /// Whether the last request was one after which nothing is read as HTTP.
    private var endsHTTP = false
    private var isPieceScheduled = false
    private var isQuiescing = false
    private var hasInputEnded = false
    /// Replies that are not with the system yet.
    private var unsent = 0

    /// Parts of requests that may wait here; far more than one read brings.
    private static let partsMax = 16_384

    private var settings: HTTPSettings { responder.settings }

    init(_ responder: SyncResponder, _ tally: RequestTally) {
        self.responder = responder
        self.tally = tally
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        parts.append(unwrapInboundIn(data))
        // At a connection's end all that came is read, asked for or not.
        if parts.count > Self.partsMax { return context.close(promise: nil) }
        work(context)
    }

    func read(context: ChannelHandlerContext) {
        switch state {
        case .answering(_, let body, hasWhole: false): hasHeldRead = !body.isWanted
        // What the library does not read as HTTP any more would gather in it.
        case .answering(_, _, hasWhole: true): hasHeldRead = !parts.isEmpty || endsHTTP
        // Whoever does not take the answers is asked for no more.
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
                // Whatever else comes here belongs to nothing.
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

    /// Tells a client that asked first that its body is wanted.
    private func letContinue(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.head(.init(version: .http1_1, status: .continue))), promise: nil)
    }

    private func send(_ response: Response, to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard case .answering(_, let body, let hasWhole) = state else { return }
        body.giveUp()
        var headers = response.headers
        let isOver = isQuiescing || hasInputEnded && (parts.isEmpty || !hasWhole)
        // HTTP/1.0 has no body that ends before its connection does, unless its length is stated.
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

    /// Has the next piece written after whatever else waits for this thread: other connections have their turn in between.
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

    /// Writes the next piece of a reply, unless the system has not taken the one before it yet.
    private func sendPiece(_ context: ChannelHandlerContext) {
        guard case .sending(var reply) = state, context.channel.isWritable else { return }
        // No copy of what is inside: there are megabytes.
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

    /// Writes the end of a reply, and takes the next request.
    private func finish(
        _ share: ByteBudget.Share?, isClosing: Bool, hasWhole: Bool, _ context: ChannelHandlerContext
    ) {
        state = isClosing ? .closing : hasWhole ? .idle : .skipping
        // What watches the connection closes it after an answer that says so.
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

    /// Closes a connection on which nothing is to be answered any more, once the last answer is with the system.
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
    /// Whether the library reads no HTTP any more after it.
    fileprivate var endsHTTP: Bool { method == .CONNECT || headers.contains(name: "Upgrade") }

    /// Whether it expects nothing, or what the server can do: to be told to go on.
    var hasKnownExpectation: Bool {
        headers["Expect"].allSatisfy { $0.inASCII.lowercased() == "100-continue" }
    }

    /// Whether the client sends its body only once it is told to (RFC 9110, 10.1.1), or has waited for that.
    fileprivate var waitsToContinue: Bool {
        version == .http1_1 && headers["Expect"].contains { $0.inASCII.lowercased() == "100-continue" }
    }
}
