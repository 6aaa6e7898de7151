internal import Foundation
internal import Synchronization

/// How long a part goes on beyond its own work, so that what happens by chance happens often enough.
///
/// Without an end, a part whose floor cannot be reached would run for ever; with this one it ends, and the floor fails.
final class Patience: Sendable {
    private let seconds: Double
    private let end = Mutex<Date?>(nil)

    init(seconds: Double) { self.seconds = seconds }

    /// Whether there is time left. It starts to run with the first question.
    var isLeft: Bool {
        end.withLock { end in
            let known = end ?? Date(timeIntervalSinceNow: seconds)
            end = known
            return Date() < known
        }
    }
}
