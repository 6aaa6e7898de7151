internal import Logging
internal import RoostService

/// A schedule that purges at the start and then every hour, until its task is cancelled.
struct PurgeSchedule: Sendable {
    private static let interval = Duration.seconds(3600)

    let service: SyncService
    let logger: Logger

    func run() async {
        while !Task.isCancelled {
            do {
                let count = try await service.purge()
                logger.debug("looked for records to purge", metadata: ["purged": "\(count)"])
            } catch {
                logger.warning("could not purge; trying again in an hour", metadata: ["reason": "\(error)"])
            }
            // The sleep ends early only if the task is cancelled, which the loop checks.
            try? await Task.sleep(for: Self.interval)
        }
    }
}
