internal import Dispatch
internal import Logging
internal import RoostService
internal import SQLiteStore

/// A schedule that checks the stored data at the start and then every day, concurrently with the server's other work, until
/// its task is cancelled.
struct IntegritySchedule: Sendable {
    private static let interval = Duration.seconds(24 * 3600)

    let path: String
    let service: SyncService
    let logger: Logger

    func run() async {
        while !Task.isCancelled {
            let fault = await check()
            if let fault { logger.error("the stored data is damaged", metadata: ["reason": "\(fault)"]) }
            service.recordDamage(fault)
            // The sleep ends early only if the task is cancelled, which the loop checks.
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func check() async -> StoreError? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { [path] in
                do {
                    try SQLiteBackup.check(path)
                    continuation.resume(returning: nil)
                } catch StoreError.damaged(let reason) {
                    continuation.resume(returning: .damaged(reason))
                } catch {
                    // A disk that cannot be read now fails later requests too, which report it.
                    continuation.resume(returning: nil)
                }
            }
        }
    }
}
