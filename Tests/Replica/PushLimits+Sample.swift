import Replica
import RoostModel

extension PushLimits {
    /// Limits above all writes of a test.
    static let sample = PushLimits(
        changesPerPush: 1000, bytesPerPush: 1 << 20, changesPerTransaction: 1000, bytesPerTransaction: 1 << 20)
}

extension Change.Kind {
    var isDelete: Bool { if case .delete = self { true } else { false } }
}
