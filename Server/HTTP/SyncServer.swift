package import Logging
internal import NIOCore
internal import NIOPosix
internal import RoostProtocol
package import RoostService
internal import ServiceLifecycle
internal import UnixSignals

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The service on the network.
package struct SyncServer: Sendable {
    private let service: SyncService
    private let settings: HTTPSettings
    private let logger: Logger

    package init(_ service: SyncService, _ settings: HTTPSettings, logger: Logger) {
        self.service = service
        self.settings = settings
        self.logger = logger
    }

    /// Lets tasks run on the threads that hold the connections, so that a request need not change threads on its way.
    ///
    /// For a program that does nothing but serve; to be called once, from its main thread, before it starts a server.
    package static func runTasksOnConnectionThreads() {
        // Where the runtime has no place for it, tasks run on threads of their own: slower, and nothing else.
        NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor()
    }

    /// Serves until a signal comes or the task is cancelled; then ends waiting pulls at once and finishes running commits.
    ///
    /// - Parameters:
    ///   - signals: Whether SIGTERM and SIGINT end it.
    ///   - onReady: Gets the port, once connections are accepted.
    package func run(stoppingOnSignals signals: Bool, onReady: @escaping @Sendable (Int) async -> Void) async throws {
        let limits = settings.limits
        let table = ConnectionTable(
            totalMax: limits.connectionsMax, perAddressMax: limits.connectionsPerAddressMax,
            proxies: settings.trustedProxies)
        let listener = Listener(service, settings, table, logger, onReady: onReady)
        let group = ServiceGroup(
            configuration: .init(
                // They are stopped from the last to the first: what ends the waiting pulls comes before what waits for them.
                services: [.init(service: listener), .init(service: StopNotice(service: service, table: table))],
                gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [], logger: quietLogger))
        // A cancelled task stops as a signal does.
        let running = Task { try await group.run() }
        try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            Task { await group.triggerGracefulShutdown() }
        }
    }

    /// The library below speaks of its own matters; only what goes wrong there concerns an operator.
    private var quietLogger: Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        return quiet
    }
}

extension SyncServer {
    /// An error of the network in the system's own words, without the name of the call that met it.
    package static func reason(of error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    }
}

/// Hears first that the server is to stop: no connection is taken any more, and the pulls that wait end. Nothing else
/// would end those in time.
private struct StopNotice: ServiceLifecycle.Service {
    let service: SyncService
    let table: ConnectionTable

    func run() async throws {
        try? await gracefulShutdown()
        table.takeNoMore()
        service.waitingRoom.close()
    }
}
