internal import Foundation
internal import Synchronization

/// The time for which a part may continue after its own work, so that events of chance happen often enough.
///
/// Without an end, a part with an unreachable minimum would run forever. With it, the part ends and reports the minimum as
/// missed.
final class Patience: Sendable {
    private let seconds: Double
    private let end = Mutex<Date?>(nil)

    init(seconds: Double) { self.seconds = seconds }

    /// Whether there is time left. The time starts with the first access.
    var isLeft: Bool {
        end.withLock { end in
            let known = end ?? Date(timeIntervalSinceNow: seconds)
            end = known
            return Date() < known
        }
    }
}
