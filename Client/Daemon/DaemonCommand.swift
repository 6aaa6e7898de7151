internal import ArgumentParser
internal import Foundation
internal import Logging
internal import Replica
internal import Roost
internal import RoostModel
internal import ServiceLifecycle
internal import Terminal
internal import UnixSignals

/// `roostd`: keeps replicas synchronised in the background.
@main
struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roostd", abstract: "Keep replicas synchronised in the background.",
        discussion: """
            Notices what any program writes within a second, and what others write as soon as the server has it. When the \
            network is gone it waits, longer each time up to a minute, and goes on by itself. What the server refuses until a \
            person does something, such as the changes of a viewer, is tried again every 15 minutes. SIGUSR1 lets it try now \
            whatever waits. SIGTERM stops it; what is not pushed by then goes with the next start. "roost status FILE" says how \
            far it is.

            EXAMPLE
              roostd trip.roost home.roost

            \(ExitStatus.help)
            """,
        version: RoostRelease.version)

    static func main() async {
        Replica.prepareProcess()
        await main(nil)
    }

    @Argument(help: "The replica files.")
    var files: [String]
    @Option(help: "How much to log: trace, debug, info, notice, warning, error or critical.")
    var logLevel = "info"

    func run() async throws {
        try await reporting("roostd", json: false) {
            guard let level = Logger.Level(rawValue: logLevel) else {
                throw RoostError(
                    .invalidArgument, "--log-level is \"\(logLevel)\", expected info, debug, …; see --help.")
            }
            LoggingSystem.bootstrap { PrintableLogHandler(StreamLogHandler.standardError(label: $0)) }
            var logger = Logger(label: "roostd")
            logger.logLevel = level
            // Trapped before the first file says who synchronises it: the signal would end the program otherwise.
            let signals = await UnixSignalsSequence(trapping: .sigusr1)
            // Each is opened before any runs: a mistake in one name is told at once.
            let services = try files.map { try ReplicaService($0, logger: logger) }
            let group = ServiceGroup(
                configuration: .init(
                    services: services.map {
                        .init(
                            service: $0, successTerminationBehavior: .ignore,
                            failureTerminationBehavior: .gracefullyShutdownGroup)
                    }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
            let waking = Task { [logger] in
                for await _ in signals {
                    logger.info("Trying now what waits")
                    for service in services { await service.wake() }
                }
            }
            defer { waking.cancel() }
            logger.info("Keeping replicas synchronised", metadata: ["count": "\(files.count)"])
            try await group.run()
            logger.info("Stopped")
            if let status = services.map(\.status).first(where: { $0 != .success }) { throw ExitCode(status.rawValue) }
        }
    }
}
