internal import Logging
internal import Replica
internal import Roost
internal import ServiceLifecycle
internal import Synchronization
internal import Terminal

/// Keeps one replica synchronised until it is told to stop.
final class ReplicaService: Service {
    private let replica: Replica
    private let session: LiveSession
    private let logger: Logger
    private let outcome = Mutex<SyncReport?>(nil)

    init(_ file: String, logger: Logger) throws {
        var logger = logger
        logger[metadataKey: "replica"] = "\(file)"
        replica = try Replica(opening: file)
        session = try LiveSession(replica) { [logger] state, isTrouble in
            logger.log(level: isTrouble ? .warning : .info, "Synchronising", metadata: ["state": "\(state)"])
        }
        self.logger = logger
    }

    func run() async throws {
        let report = await withGracefulShutdownHandler {
            await session.run()
        } onGracefulShutdown: { [session] in
            Task { await session.stop() }
        }
        logger.log(
            level: report.isUpToDate || report.isRequested ? .info : .error, "Synchronising ended",
            metadata: ["state": "\(report.state)", "pushed": "\(report.pushed)", "pulled": "\(report.pulled)"])
        try replica.close()
        outcome.withLock { $0 = report }
    }

    /// The status that this replica ends the program with: a supervisor must not take a stop that needs a person for success.
    var status: ExitStatus {
        guard let report = outcome.withLock({ $0 }), !report.isUpToDate, !report.isRequested else { return .success }
        return report.isTemporary ? .temporary : .notPermitted
    }
}
