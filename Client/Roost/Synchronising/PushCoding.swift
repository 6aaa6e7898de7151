internal import Replica
internal import RoostModel
internal import RoostProtocol

/// Sealed pushes as messages of the protocol.
enum PushCoding {
    /// What a push may hold, with room left for what the estimate does not count.
    static func limits(_ limits: Limits) -> PushLimits {
        PushLimits(
            changesPerPush: limits.changesPerPushMax, bytesPerPush: limits.bodyBytesMax * 3 / 4,
            changesPerTransaction: limits.changesPerTransactionMax, bytesPerTransaction: limits.transactionBytesMax,
            bytesPerPut: limits.putBytesMax)
    }

    static func encode(_ push: SealedPush) -> [UInt8] {
        PushRequest(
            number: push.number, checkpoint: push.checkpoint.map { Checkpoint(bytes: $0) },
            transactions: push.parts.map { .init(changes: $0.changes, continues: $0.continues) }
        ).protobuf()
    }

    static func decodePush(_ body: [UInt8]) throws -> SealedPush {
        let request = try PushRequest(protobuf: body)
        return SealedPush(
            number: request.number, checkpoint: request.checkpoint?.bytes,
            parts: request.transactions.map { .init(changes: $0.changes, continues: $0.continues) })
    }

    static func decode(_ body: [UInt8]) throws -> [[Change]] {
        try PushRequest(protobuf: body).transactions.map(\.changes)
    }

    static func verdict(_ result: PushReply.Result) -> TransactionVerdict {
        switch result {
        case .staged: return .staged
        case .refused(let refusal):
            return .refused(
                reason: "\(refusal.message) (\(refusal.code))", isGone: refusal.code == .gone, index: refusal.index)
        case .accepted(_, let outcomes):
            func places(_ kind: PushReply.Outcome.Kind) -> [Int: HybridTimestamp] {
                Dictionary(outcomes.filter { $0.kind == kind }.map { ($0.index, $0.other) }) { first, _ in first }
            }
            return .accepted(beaten: places(.beaten), replaced: places(.replaced))
        }
    }
}
