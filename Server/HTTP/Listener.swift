internal import Logging
internal import NIOCore
internal import NIOExtras
internal import NIOHTTP1
internal import NIOPosix
internal import RoostProtocol
internal import RoostService
internal import ServiceLifecycle

/// A service that accepts connections and answers their requests until the server stops.
struct Listener: ServiceLifecycle.Service {
    private let settings: HTTPSettings
    private let table: ConnectionTable
    private let registry = ConnectionRegistry()
    private let tally = RequestTally()
    private let responder: SyncResponder
    private let logger: Logger
    private let onReady: @Sendable (Int) async -> Void

    init(
        _ service: SyncService, _ settings: HTTPSettings, _ table: ConnectionTable, _ logger: Logger,
        onReady: @escaping @Sendable (Int) async -> Void
    ) {
        self.settings = settings
        self.table = table
        self.logger = logger
        self.onReady = onReady
        responder = SyncResponder(service, settings, RateLimits(settings.limits), registry, logger)
    }

    /// Serves, and returns once no connection is open and no request is being answered.
    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            // A client that has sent its whole request may still wait for the reply.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try prepare(channel) } }
            .bind(host: settings.host, port: settings.port).get()
        let stopped = channel.eventLoop.makePromise(of: Void.self)
        await withGracefulShutdownHandler {
            await onReady(channel.localAddress?.port ?? 0)
            try? await stopped.futureResult.get()
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: stopped)
        }
        await tally.drained()
    }

    private func prepare(_ channel: any Channel) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = settings.limits.requestLineBytesMax
        limits.maxHeaderListSize = settings.limits.headerBytesMax
        limits.maxHeaderFieldCount = settings.limits.headerFieldsMax
        let operations = channel.pipeline.syncOperations
        let framing = FramingWatch()
        try operations.addHandler(framing)
        try operations.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: true,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try operations.addHandler(
            ConnectionHandler(settings, table, registry, logger, framing) { [responder] in responder.service.now })
        try operations.addHandler(RequestHandler(responder, tally))
    }
}
