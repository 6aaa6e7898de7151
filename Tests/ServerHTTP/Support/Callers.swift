import Foundation
import Synchronization

/// Threads that open one connection after the other until they are stopped.
final class Callers: Sendable {
    private let counted = Atomic(0)
    private let isStopped = Atomic(false)

    /// The number of accepted connections.
    var connected: Int { counted.load(ordering: .relaxed) }

    func start(port: Int) {
        for _ in 1...4 {
            let thread = Thread { [self] in
                while !isStopped.load(ordering: .relaxed) {
                    guard let connection = try? RawConnection(port: port, seconds: 1) else { continue }
                    counted.wrappingAdd(1, ordering: .relaxed)
                    withExtendedLifetime(connection) {}
                }
            }
            thread.start()
        }
    }

    /// Waits until `count` connections have been accepted.
    func haveConnected(_ count: Int) async throws {
        while connected < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
    }
}
