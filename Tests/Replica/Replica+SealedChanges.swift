import Replica
import RoostModel

extension Replica {
    /// Seals what waits, and says what would be sent, in its order.
    func sealChanges(_ limits: PushLimits) throws -> [Change] {
        var changes: [Change] = []
        _ = try sealPushes(limits: limits) { push in
            changes += push.parts.flatMap(\.changes)
            return []
        }
        return changes
    }
}
