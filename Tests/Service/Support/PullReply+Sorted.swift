import RoostModel
import RoostProtocol

extension PullReply {
    /// With its records by their keys: those of one transaction come in any order.
    var sorted: PullReply {
        var sorted = self
        sorted.records.sort { $0.key < $1.key }
        return sorted
    }
}
