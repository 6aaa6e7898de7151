internal import ArgumentParser
internal import Foundation
internal import Logging
internal import Replica
internal import Roost
internal import RoostModel
internal import ServiceLifecycle
internal import Terminal
internal import UnixSignals

/// The program `roostd`, which keeps replicas synchronised in the background.
@main
struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roostd", abstract: "Keep replicas synchronised in the background.",
        discussion: """
            Notices what any program writes within a second, and what others write as soon as the server has it. When the \
            network is gone it waits, longer each time up to a minute, and goes on by itself. What the server refuses until a \
            person does something, such as the changes of a viewer, is tried again every 15 minutes. A file that cannot be opened \
            is tried again while the others run; one that is moved, removed or replaced is noticed, and opened again once there is \
            one at its path. SIGUSR1 lets it try now whatever waits. SIGTERM stops it; what is not pushed by then goes with the \
            next start. "roost status FILE" says how far it is.

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
    @OptionGroup var limit: FileLimitOption

    func run() async throws {
        try await reporting("roostd", json: false) {
            guard let level = Logger.Level(rawValue: logLevel) else {
                throw RoostError(
                    .invalidArgument, "--log-level is \"\(logLevel)\", expected info, debug, …; see --help.")
            }
            LoggingSystem.bootstrap { PrintableLogHandler(StreamLogHandler.standardError(label: $0)) }
            var logger = Logger(label: "roostd")
            logger.logLevel = level
            // SIGUSR1 is trapped before the first file names this process as its synchroniser. The default action would
            // terminate the process.
            let signals = await UnixSignalsSequence(trapping: .sigusr1)
            let services = try open(logger)
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
            logger.info("Keeping replicas synchronised", metadata: ["count": "\(services.count)"])
            try await group.run()
            logger.info("Stopped")
            if let status = services.map(\.status).first(where: { $0 != .success }) { throw ExitCode(status.rawValue) }
        }
    }

    /// Opens every file before any session runs, so that a wrong name is reported immediately.
    ///
    /// - Throws: The reason why the first file cannot be opened, if no file can be opened and none lacks only its token.
    private func open(_ logger: Logger) throws -> [ReplicaService] {
        let services = distinctFiles(logger).map { ReplicaService($0, bounds: limit.bounds, logger: logger) }
        let failures = services.map { service -> (any Error)? in
            do {
                try service.open()
                return nil
            } catch {
                return error
            }
        }
        // A file without its token is intact: the token may be restored at any time.
        guard failures.contains(where: { $0 == nil || ($0 as? RoostError)?.code == .notPermitted }) else {
            for failure in failures.dropFirst() { if let failure { logger.error("\(failure)") } }
            throw failures.first.flatMap { $0 } ?? RoostError(.invalidArgument, "No replica file was given.")
        }
        return services
    }

    /// Returns the given files without duplicates.
    private func distinctFiles(_ logger: Logger) -> [String] {
        var names: [String] = []
        var seen: [FileNumber: String] = [:]
        for file in files {
            let number = FileNumber(of: file)
            let earlier = number.map { seen[$0] } ?? names.first { $0 == file }
            if let earlier {
                logger.warning(
                    file == earlier
                        ? "\"\(file)\" was given twice; it is synchronised once"
                        : "\"\(file)\" is the file \"\(earlier)\", which was given too; it is synchronised once")
                continue
            }
            if let number { seen[number] = file }
            names.append(file)
        }
        return names
    }
}
