internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import RoostModel
internal import RoostProtocol
internal import Synchronization

/// The guard of one connection. It limits the number of connections, closes slow and idle ones, and answers input that is
/// not HTTP.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let settings: HTTPSettings
    private let table: ConnectionTable
    private let registry: ConnectionRegistry
    private var address: String?
    private var isReading = false
    /// The number of received requests whose replies have not been written.
    private var unanswered = 0
    private var closesAfterReply = false
    private var isRefused = false
    /// Whether the last reply is written or on its way. Nothing else is read or written after it.
    private var isLingering = false
    /// The error of input that followed requests which still have to be answered.
    private var heldError: (error: any Error, isOfRequest: Bool)?
    private var bodyBytes = 0
    private var readingSeconds: Int64 = 0
    private var timer: Scheduled<Void>?
    /// The time since which the connection is idle; meaningful only while it is.
    private var idleSince = NIODeadline.now()
    /// The timer that closes an idle connection. A request does not cancel it: restarting it for each request would be two
    /// system calls for a rare event.
    private var idleTimer: Scheduled<Void>?
    private var writeTimer: Scheduled<Void>?
    private let logger: Logger
    private let framing: FramingWatch
    /// The wall clock, in milliseconds since 1970.
    private let now: () -> UInt64

    init(
        _ settings: HTTPSettings, _ table: ConnectionTable, _ registry: ConnectionRegistry, _ logger: Logger,
        _ framing: FramingWatch, now: @escaping () -> UInt64
    ) {
        self.logger = logger
        self.framing = framing
        self.now = now
        self.settings = settings
        self.table = table
        self.registry = registry
    }

    // MARK: Opening and closing

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { _ = begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        if begin(context) { context.fireChannelActive() }
    }

    /// Counts the connection; returns `false` if there were too many and it was closed.
    private func begin(_ context: ChannelHandlerContext) -> Bool {
        guard address == nil else { return true }
        let peer = context.remoteAddress?.ipAddress ?? "local"
        guard table.open(peer) else {
            context.close(promise: nil)
            return false
        }
        address = peer
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: .seconds(settings.headSecondsMax)) {
            bound.value.close(promise: nil)
        }
        return true
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(context)
    }

    private func end(_ context: ChannelHandlerContext) {
        timer?.cancel()
        idleTimer?.cancel()
        writeTimer?.cancel()
        registry.closed(context.channel)
        if let address { table.close(address) }
        address = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed = event as? ChannelEvent { registry.inputEnded(context.channel) }
        // The server is stopping, and does not wait for an incomplete request. The client resends it.
        if event is ChannelShouldQuiesceEvent, isReading, unanswered <= 1 { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isLingering, !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Several `Host` fields would leave open which of them a proxy in front has used.
            if head.headers["Host"].count > 1 {
                isRefused = true
                return errorCaught(context: context, error: HTTPParserError.invalidHeaderToken)
            }
            timer?.cancel()
            timer = nil
            unanswered += 1
            isReading = true
            bodyBytes = 0
            readingSeconds = 0
            framing.recordHead(isChunked: head.headers.contains(name: "Transfer-Encoding"))
        case .body(let buffer): bodyBytes += buffer.readableBytes
        case .end:
            isReading = false
            framing.endBody()
            // The reply may have been written before the end of the body.
            watchIdle(context)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // While an earlier request is being answered, the server itself pauses reading.
        if isReading, readingSeconds == 0, unanswered <= 1, !isLingering { watchBody(context) }
        context.fireChannelReadComplete()
    }

    /// Checks every five seconds a body that did not arrive at once.
    private func watchBody(_ context: ChannelHandlerContext) {
        let step: Int64 = 5
        readingSeconds += step
        timer?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: .seconds(min(step, settings.requestSecondsMax))) {
            let (handler, context) = bound.value
            guard handler.isReading, !handler.isLingering else { return }
            let isSlow = handler.bodyBytes < handler.settings.bodyBytesPerSecondMin * Int(handler.readingSeconds)
            if isSlow || handler.readingSeconds >= handler.settings.requestSecondsMax {
                context.close(promise: nil)
            } else {
                handler.watchBody(context)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Input after a parse error is not HTTP either.
        if isLingering, error is HTTPParserError || error is ByteToMessageDecoderError { return }
        if heldError != nil, error is ByteToMessageDecoderError { return }
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        guard unanswered <= (isReading ? 1 : 0) else {
            // Earlier requests are answered first.
            isRefused = true
            heldError = heldError ?? (error, isReading)
            return
        }
        refuse(context, error)
    }

    /// Answers input that is not HTTP, and closes the connection.
    private func refuse(_ context: ChannelHandlerContext, _ error: any Error) {
        logger.info(
            "request unreadable", metadata: ["from": "\(address ?? "")", "error": "\(LogText.escaped("\(error)"))"])
        writeRefusal(context, error)
    }

    /// Writes the end of the last reply, and closes the connection once the operating system has taken it.
    private func writeLast(
        _ context: ChannelHandlerContext, _ end: NIOAny, _ promise: EventLoopPromise<Void>?
    ) {
        isLingering = true
        timer?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: .seconds(settings.requestSecondsMax)) {
            bound.value.1.close(promise: nil)
        }
        let isSent = context.eventLoop.makePromise(of: Void.self)
        isSent.futureResult.whenComplete { _ in
            let (handler, context) = bound.value
            handler.linger(context)
        }
        if let promise { isSent.futureResult.cascade(to: promise) }
        context.writeAndFlush(end, promise: isSent)
    }

    /// Closes the sending side, and the receiving side once the client has had time to read. Closing at once, with bytes
    /// unread, would make the client's system discard the answer.
    private func linger(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
        timer?.cancel()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: .seconds(2)) { bound.value.close(promise: nil) }
    }

    private func writeRefusal(_ context: ChannelHandlerContext, _ error: any Error) {
        var (refusal, status) = refusal(of: error)
        let time = now()
        refusal.serverTime = time
        let body = ByteBuffer(bytes: refusal.json.encoded)
        var fields: HTTPHeaders = [
            "Content-Type": MediaType.json.rawValue, "Content-Length": String(body.readableBytes),
            "Cache-Control": "no-store", "Date": ReplyDate().text(at: time), "Connection": "close",
        ]
        if status == .methodNotAllowed { fields.add(name: "Allow", value: "GET, POST, PUT, DELETE") }
        context.write(
            wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        writeLast(context, wrapOutboundOut(.end(nil)), nil)
    }

    private func refusal(of error: any Error) -> (ProtocolError, HTTPResponseStatus) {
        switch error as? HTTPParserError {
        case .headerOverflow:
            (
                ProtocolError(
                    .tooLarge,
                    "Cannot read the request: its head is larger than \(settings.limits.headerBytesMax) bytes or has more than "
                        + "\(settings.limits.headerFieldsMax) fields."), .requestHeaderFieldsTooLarge
            )
        case .invalidMethod where framing.beginsWithMethod:
            (
                ProtocolError(
                    .methodNotAllowed, "Cannot do this: no path has the request's method. Use GET, POST, PUT or DELETE."
                ),
                .methodNotAllowed
            )
        default: (ProtocolError(.badRequest, "Cannot read the request: it is not HTTP/1.1."), .badRequest)
        }
    }

    // MARK: Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isLingering else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head):
            closesAfterReply = head.headers["Connection"].contains("close")
        case .body: break
        case .end:
            unanswered -= 1
            if closesAfterReply { return writeLast(context, data, promise) }
            if let held = heldError, unanswered <= (held.isOfRequest ? 1 : 0) {
                context.write(data, promise: promise)
                return refuse(context, held.error)
            }
            watchIdle(context)
            // The next request has already begun to arrive.
            if isReading, unanswered == 1 {
                readingSeconds = 0
                watchBody(context)
            }
        }
        context.write(data, promise: promise)
        if !context.channel.isWritable { watchReader(context) }
    }

    /// Starts the idle timer of a connection without requests.
    private func watchIdle(_ context: ChannelHandlerContext) {
        guard isIdle else { return }
        timer?.cancel()
        timer = nil
        idleSince = .now()
        if idleTimer == nil { setIdleTimer(context) }
    }

    private var isIdle: Bool { !isReading && unanswered == 0 && !isLingering }

    private func setIdleTimer(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        idleTimer = context.eventLoop.scheduleTask(deadline: idleSince + .seconds(settings.idleSecondsMax)) {
            let (handler, context) = bound.value
            handler.idleTimer = nil
            guard handler.isIdle else { return }
            if .now() >= handler.idleSince + .seconds(handler.settings.idleSecondsMax) {
                context.close(promise: nil)
            } else {
                handler.setIdleTimer(context)
            }
        }
    }

    /// Gives the client time to receive the written bytes.
    private func watchReader(_ context: ChannelHandlerContext) {
        guard writeTimer == nil else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        writeTimer = context.eventLoop.scheduleTask(in: .seconds(settings.requestSecondsMax)) {
            let (handler, context) = bound.value
            handler.writeTimer = nil
            if !context.channel.isWritable { context.close(promise: nil) }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            writeTimer?.cancel()
            writeTimer = nil
        }
        context.fireChannelWritabilityChanged()
    }
}
