import RoostModel
import RoostProtocol

extension PullReply {
    /// The reply with its records sorted by key, because the records of a transaction have no defined order.
    var sorted: PullReply {
        var sorted = self
        sorted.records.sort { $0.key < $1.key }
        return sorted
    }
}
