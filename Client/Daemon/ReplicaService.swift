internal import Logging
internal import Replica
internal import Roost
internal import ServiceLifecycle

/// Keeps one replica synchronised until it is told to stop.
struct ReplicaService: Service {
    private let replica: Replica
    private let session: LiveSession
    private let logger: Logger

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
        logger.info(
            "Synchronising ended",
            metadata: ["state": "\(report.state)", "pushed": "\(report.pushed)", "pulled": "\(report.pulled)"])
        try replica.close()
    }
}
