internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import RoostModel
internal import RoostProtocol
internal import Synchronization

/// Watches one connection: how many there are, how slow it is, when it ends, and what is no HTTP.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let settings: HTTPSettings
    private let table: ConnectionTable
    private let registry: ConnectionRegistry
    private var address: String?
    private var hasRead = false
    private var isReading = false
    private var isReplying = false
    private var closesAfterReply = false
    private var bodyBytes = 0
    private var readingSeconds: Int64 = 0
    private var timer: Scheduled<Void>?
    private var writeTimer: Scheduled<Void>?
    private let logger: Logger

    init(_ settings: HTTPSettings, _ table: ConnectionTable, _ registry: ConnectionRegistry, _ logger: Logger) {
        self.logger = logger
        self.settings = settings
        self.table = table
        self.registry = registry
    }

    // MARK: Opening and closing

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            try HostCheck.add(to: context.pipeline)
        } catch {
            return context.close(promise: nil)
        }
        if context.channel.isActive { _ = begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        // What is closed here is not told that it is open: it would wait for the task that handles it, and a server
        // that is stopping starts none (the library ends the process when such a connection is let go of).
        if begin(context) { context.fireChannelActive() }
    }

    /// Counts the connection in; `false` if there is no place for it, and it was closed.
    private func begin(_ context: ChannelHandlerContext) -> Bool {
        guard address == nil else { return true }
        let peer = context.remoteAddress?.ipAddress ?? "local"
        guard table.open(peer) else {
            context.close(promise: nil)
            return false
        }
        address = peer
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: .seconds(settings.headSecondsMax)) {
            let (handler, context) = bound.value
            if !handler.hasRead { context.close(promise: nil) }
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
        writeTimer?.cancel()
        registry.closed(context.channel)
        if let address { table.close(address) }
        address = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed = event as? ChannelEvent { registry.closed(context.channel) }
        // The server is stopping: what has not arrived whole is not waited for; the client sends it again.
        if event is ChannelShouldQuiesceEvent, isReading { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            hasRead = true
            isReading = true
            bodyBytes = 0
            readingSeconds = 0
        case .body(let buffer): bodyBytes += buffer.readableBytes
        case .end: isReading = false
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isReading, readingSeconds == 0, !closesAfterReply { watchBody(context) }
        context.fireChannelReadComplete()
    }

    /// Looks every five seconds at a body that did not come at once.
    private func watchBody(_ context: ChannelHandlerContext) {
        let step: Int64 = 5
        readingSeconds += step
        timer?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: .seconds(min(step, settings.requestSecondsMax))) {
            let (handler, context) = bound.value
            guard handler.isReading else { return }
            let isSlow = handler.bodyBytes < handler.settings.bodyBytesPerSecondMin * Int(handler.readingSeconds)
            if isSlow || handler.readingSeconds >= handler.settings.requestSecondsMax {
                context.close(promise: nil)
            } else {
                handler.watchBody(context)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        guard !isReplying else { return context.close(promise: nil) }
        logger.info(
            "request unreadable", metadata: ["from": "\(address ?? "")", "error": "\(LogText.escaped("\(error)"))"])
        refuse(context, error)
        linger(context)
    }

    /// Closes the sending side, and the rest once the client has had time to read: closing at once, with bytes unread,
    /// would make its system throw the answer away.
    private func linger(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
        timer?.cancel()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: .seconds(2)) { bound.value.close(promise: nil) }
    }

    /// Answers what is no HTTP, or more of it than is read.
    private func refuse(_ context: ChannelHandlerContext, _ error: any Error) {
        let isOverflow = error as? HTTPParserError == .headerOverflow
        let refusal = ProtocolError(
            isOverflow ? .tooLarge : .badRequest,
            isOverflow
                ? "Cannot read the request: its head is larger than \(settings.limits.headerBytesMax) bytes or has more than "
                    + "\(settings.limits.headerFieldsMax) fields."
                : "Cannot read the request: it is not HTTP/1.1.")
        let body = ByteBuffer(bytes: refusal.json.encoded)
        let status: HTTPResponse.Status = isOverflow ? .requestHeaderFieldsTooLarge : .badRequest
        let fields: HTTPFields = [
            .contentType: BodyType.json.rawValue, .contentLength: String(body.readableBytes), .connection: "close",
        ]
        context.write(wrapOutboundOut(.head(.init(status: status, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    // MARK: Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isReplying = true
            closesAfterReply = head.headerFields[.connection] == "close"
        case .body: break
        case .end:
            isReplying = false
            if closesAfterReply {
                context.writeAndFlush(data, promise: promise)
                return linger(context)
            }
        }
        context.write(data, promise: promise)
        if !context.channel.isWritable { watchReader(context) }
    }

    /// Gives the client time to take what was written.
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
