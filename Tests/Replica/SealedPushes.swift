import Replica
import RoostModel
import Synchronization

/// Keeps the pushes that are sealed; the body of each is its number.
final class SealedPushes: Sendable {
    static let limits = PushLimits(
        changesPerPush: 1000, bytesPerPush: 1 << 20, changesPerTransaction: 1000, bytesPerTransaction: 1 << 20)

    private let pushes = Mutex<[SealedPush]>([])

    var all: [SealedPush] { pushes.withLock { $0 } }

    var sealing: WriteSealing { WriteSealing(limits: Self.limits) { try self.encode($0) } }

    func encode(_ push: SealedPush) throws -> [UInt8] {
        pushes.withLock { $0.append(push) }
        return [UInt8(push.number)]
    }
}

extension Change.Kind {
    var isDelete: Bool { if case .delete = self { true } else { false } }
}
