internal import ArgumentParser
internal import Foundation
internal import Logging
internal import RoostProtocol
internal import RoostService
package import SQLiteStore
internal import ServerHTTP

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve until SIGTERM or SIGINT.",
        discussion: """
            Prints one line on standard output once it accepts connections, with its address; logs go to standard error. \
            On the first start it makes its folder and, in it, the file admin-token: whoever has that token makes scopes. \
            A folder that has the token and no database is refused: its data is missing. \
            Connections are not encrypted: it listens on this machine only, for a reverse proxy that speaks TLS.

            ENVIRONMENT
              ROOST_<LIMIT>   sets a limit of protocol.md §10, for example ROOST_PUT_BYTES_MAX=65536; a page has 8 MiB at most;
                              0 turns off REQUESTS_PER_SECOND, CHANGES_PER_HOUR_MAX, UNAUTHENTICATED_PER_MINUTE

            EXIT STATUS
              0 stopped by a signal   64 wrong usage   69 the address is taken   74 the data cannot be used
              75 another program holds the data
            """)

    @Option(help: "The folder that holds everything.")
    var data = "./roost-server-data"
    @Option(help: ArgumentHelp("The address to listen on; port 0 takes a free one.", valueName: "host:port"))
    var listen = "127.0.0.1:8787"
    @Option(help: "When a push counts as stored: full (holds through a power loss) or normal (through a crash).")
    var synchronous = SQLiteStore.Synchronous.full
    @Flag(
        help:
            "A reverse proxy that ends TLS stands before the server: listen on other addresses than loopback, and believe X-Forwarded-For, of a proxy on this machine or a trusted one."
    )
    var plainHttpBehindProxy = false
    @Option(
        help: ArgumentHelp(
            "The address of a reverse proxy on another machine. With --plain-http-behind-proxy, only such, and programs of this machine, are believed in X-Forwarded-For, and their connections are not counted by address. May be given several times.",
            valueName: "address"))
    var trustedProxy: [String] = []
    @Option(
        help: ArgumentHelp(
            "Days after which deleted records are purged; 0 for never. 90 unless ROOST_HORIZON_DAYS says otherwise.",
            valueName: "days"))
    var horizonDays: Int?
    @Option(help: "How log lines look: text or json.")
    var logFormat = LogFormat.text
    @Option(
        help: "The least level logged: trace, debug, info, notice, warning, error or critical.", transform: Self.level)
    var logLevel = Logger.Level.info

    /// The additional time for which a starting server waits for a program that holds its data, on top of the store's own
    /// wait.
    private static let holderPatience = Duration.seconds(25)
    /// The interval of attempts of a server that cannot start on a full disk.
    private static let roomInterval = Duration.seconds(2)
    /// The maximum of the horizon: a hundred years.
    private static let horizonDaysMax = 36_500

    private static func level(_ text: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else {
            throw ValidationError(
                "Cannot log from \"\(text)\" on: expected trace, debug, info, notice, warning, error or critical.")
        }
        return level
    }

    func run() async throws {
        let address = try ListenAddress(listen, mayBeRemote: plainHttpBehindProxy)
        var limits = try ServerEnvironment.limits(ProcessInfo.processInfo.environment)
        limits.horizonDays = horizonDays ?? limits.horizonDays
        guard (0...Self.horizonDaysMax).contains(limits.horizonDays) else {
            throw ValidationError(
                "Cannot purge after \(limits.horizonDays) days: expected 0 to \(Self.horizonDaysMax), 0 for never.")
        }
        let proxies = try trustedProxy.map { try ListenAddress.proxy($0, isBehindProxy: plainHttpBehindProxy) }
        umask(0o077)
        SyncServer.runTasksOnConnectionThreads()
        // A file at its size limit and a pipe without a reader are errors to report, not reasons to exit.
        signal(SIGXFSZ, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        var logger = Logger(label: "roost-server") { [logFormat] _ in LineLogHandler(format: logFormat) }
        logger.logLevel = logLevel
        try await Failure.reporting { [limits, logger] in
            try DescriptorLimit.raise(for: limits.connectionsMax, logger)
            try await start(address, limits, Set(proxies), logger)
        }
    }

    private func start(
        _ address: ListenAddress, _ limits: Limits, _ proxies: Set<String>, _ logger: Logger
    ) async throws {
        do {
            let folder = try DataFolder.toServe(data)
            if folder.isNew {
                logger.notice(
                    "made the data folder",
                    metadata: ["folder": "\(folder.path)", "adminToken": "\(folder.adminTokenPath)"])
            }
            var settings = HTTPSettings(adminToken: folder.adminToken.hash)
            settings.host = address.host
            settings.port = address.port
            settings.limits = limits
            settings.isBehindProxy = plainHttpBehindProxy
            settings.trustedProxies = proxies
            try await serve(folder, settings, logger)
        } catch StoreError.missing {
            throw Failure(DataFolder.dataIsMissing(data).description, .ioError)
        } catch let error as StoreError {
            throw Failure(error.description, error.status)
        } catch let error as DataFolderError {
            throw Failure(error.description, error.status)
        }
    }

    /// Opens the stored data. It waits while the disk is full, as a running server does.
    private func open(
        _ folder: DataFolder, _ limits: Limits, _ logger: Logger
    ) async throws -> (SQLiteStore, SyncService) {
        var isSaid = false
        let latest = ContinuousClock.now + Self.holderPatience
        while true {
            var opened: SQLiteStore?
            do {
                let store = try SQLiteStore(
                    path: folder.databasePath, synchronous: synchronous, whereNone: .refuse,
                    waiting: StoreWait(seconds: 5) { [path = folder.databasePath] _ in
                        logger.warning("another program holds the database", metadata: ["file": "\(path)"])
                    })
                opened = store
                let service = try SyncService(
                    store, limits: limits, commits: synchronous == .normal ? .eager : .thread,
                    now: { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }, random: SystemRandomNumberGenerator(),
                    tokenSecret: folder.tokenSecret(), report: { EventLog.log($0, to: logger) })
                return (store, service)
            } catch StoreError.busy where ContinuousClock.now < latest {
                try? opened?.close()
            } catch StoreError.full {
                try? opened?.close()
                if !isSaid {
                    logger.error(
                        "the disk is full; the server starts once there is room", metadata: ["folder": "\(data)"])
                }
                isSaid = true
                try await Task.sleep(for: Self.roomInterval)
            }
        }
    }

    private func serve(_ folder: DataFolder, _ settings: HTTPSettings, _ logger: Logger) async throws {
        let (store, service) = try await open(folder, settings.limits, logger)
        let limit = ShutdownLimit(seconds: 3)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await PurgeSchedule(service: service, logger: logger).run() }
                group.addTask { [path = folder.databasePath] in
                    await IntegritySchedule(path: path, service: service, logger: logger).run()
                }
                defer { group.cancelAll() }
                try await SyncServer(service, settings, logger: logger).run(stoppingOnSignals: true) { port in
                    Console.write("roost-server listening on http://\(settings.host):\(port)")
                    limit.arm()
                }
            }
        } catch {
            service.stop()
            throw Failure(
                "Cannot listen on \(settings.host):\(settings.port): \(SyncServer.reason(of: error)). Choose another address with --listen.",
                .unavailable)
        }
        do {
            try await service.recordCursors()
        } catch {
            // This is safe: the replicas' positions count as further back than they are.
            logger.warning("could not note where the replicas stand", metadata: ["reason": "\(error)"])
        }
        service.stop()
        try store.close()
        logger.info("stopped")
    }
}

extension SQLiteStore.Synchronous: ExpressibleByArgument {}
