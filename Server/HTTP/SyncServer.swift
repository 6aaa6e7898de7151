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

    /// Runs tasks on the threads of the connections, so that a request need not change threads.
    ///
    /// For a program that only serves. Call it once, from its main thread, before it starts a server.
    package static func runTasksOnConnectionThreads() {
        // If the runtime does not support this, tasks run on threads of their own: slower, without any other effect.
        NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor()
    }

    /// Serves until a signal arrives or the task is cancelled. It then ends waiting pulls at once and finishes running
    /// commits.
    ///
    /// - Parameters:
    ///   - signals: Whether SIGTERM and SIGINT end it.
    ///   - onReady: Called with the port, once connections are accepted.
    package func run(stoppingOnSignals signals: Bool, onReady: @escaping @Sendable (Int) async -> Void) async throws {
        let limits = settings.limits
        let table = ConnectionTable(
            totalMax: limits.connectionsMax, perAddressMax: limits.connectionsPerAddressMax,
            proxies: settings.trustedProxies)
        let listener = Listener(service, settings, table, logger, onReady: onReady)
        let group = ServiceGroup(
            configuration: .init(
                // Services stop from the last to the first: the stop notice ends waiting pulls before the listener waits
                // for them.
                services: [.init(service: listener), .init(service: StopNotice(service: service, table: table))],
                gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [], logger: quietLogger))
        // A cancelled task stops like a signal.
        let running = Task { try await group.run() }
        try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            Task { await group.triggerGracefulShutdown() }
        }
    }

    /// The logger of the lifecycle library, whose messages below warnings do not concern an operator.
    private var quietLogger: Logger {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        return quiet
    }
}

extension SyncServer {
    /// Returns the operating system's text for a network error, without the name of the failed call.
    package static func reason(of error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    }
}

/// A service that is notified first when the server stops. It refuses new connections and ends the waiting pulls, which
/// nothing else would end in time.
private struct StopNotice: ServiceLifecycle.Service {
    let service: SyncService
    let table: ConnectionTable

    func run() async throws {
        try? await gracefulShutdown()
        table.takeNoMore()
        service.waitingRoom.close()
    }
}
