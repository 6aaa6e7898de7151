internal import Logging
internal import Replica
internal import Roost
internal import ServiceLifecycle
internal import Synchronization
internal import Terminal

/// Keeps one replica synchronised until it is told to stop.
final class ReplicaService: Service {
    private let file: String
    private let logger: Logger
    private struct Open {
        let replica: Replica
        let session: LiveSession
    }

    /// The open file; `nil` while it is opened again after somebody has migrated it.
    private let current: Mutex<Open?>
    private let isStopping = Mutex(false)
    private let outcome = Mutex<SyncReport?>(nil)

    init(_ file: String, logger: Logger) throws {
        var logger = logger
        logger[metadataKey: "replica"] = "\(file)"
        self.file = file
        self.logger = logger
        current = Mutex(try Self.open(file, logger))
    }

    private static func open(_ file: String, _ logger: Logger) throws -> Open {
        let (replica, repair) = try Replica.repairing(opening: file)
        for notice in repair?.notices ?? [] {
            logger.warning("Repaired the replica", metadata: ["notice": "\(notice)"])
        }
        let session = try LiveSession(replica) { state, isTrouble in
            logger.log(level: isTrouble ? .warning : .info, "Synchronising", metadata: ["state": "\(state)"])
        }
        return Open(replica: replica, session: session)
    }

    func run() async throws {
        let report = try await withGracefulShutdownHandler {
            try await runSessions()
        } onGracefulShutdown: { [self] in
            isStopping.withLock { $0 = true }
            let session = current.withLock { $0?.session }
            Task { await session?.stop() }
        }
        logger.log(
            level: report.isUpToDate || report.isRequested ? .info : .error, "Synchronising ended",
            metadata: ["state": "\(report.state)", "pushed": "\(report.pushed)", "pulled": "\(report.pulled)"])
        outcome.withLock { $0 = report }
    }

    /// Tries now what waits.
    func wake() async {
        let session = current.withLock { $0?.session }
        await session?.wake()
    }

    /// Goes on with the file as another program has migrated it.
    private func runSessions() async throws -> SyncReport {
        while true {
            let (report, isMigrated) = try await runSession()
            guard isMigrated else { return report }
            logger.info("Opening the replica again: another program has migrated it")
            let open = try Self.open(file, logger)
            current.withLock { $0 = open }
            // Whoever wants it stopped found no session meanwhile.
            if isStopping.withLock({ $0 }) { await open.session.stop() }
        }
    }

    /// Closes the file at the end, and with it gives up the right to synchronise it.
    private func runSession() async throws -> (report: SyncReport, isMigrated: Bool) {
        guard let open = current.withLock({ $0 }) else { return (SyncReport(), false) }
        let report = await open.session.run()
        let isMigrated = !report.isRequested && open.replica.isMigratedElsewhere
        try open.replica.close()
        current.withLock { $0 = nil }
        return (report, isMigrated)
    }

    /// The status that this replica ends the program with: a supervisor must not take a stop that needs a person for success.
    var status: ExitStatus {
        guard let report = outcome.withLock({ $0 }), !report.isUpToDate, !report.isRequested else { return .success }
        return report.isTemporary ? .temporary : .notPermitted
    }
}
