internal import RoostProtocol

/// The limits of a scope's content.
struct ScopeQuota {
    private let limits: Limits

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Returns the refusal of a scope's growth from one state to another, or `nil`. A scope may always shrink.
    func refusal(from head: ScopeHead, to next: ScopeHead) -> PushReply.Refusal? {
        if next.records > limits.recordsPerScopeMax, next.records > head.records {
            return .init(
                code: .quotaExceeded,
                message: "Cannot store the transaction: the scope would have \(next.records) records, the limit is "
                    + "\(limits.recordsPerScopeMax). Begin another scope.")
        }
        if next.bytes > limits.bytesPerScopeMax, next.bytes > head.bytes {
            return .init(
                code: .quotaExceeded,
                message: "Cannot store the transaction: the scope would have \(next.bytes) bytes, the limit is "
                    + "\(limits.bytesPerScopeMax). Begin another scope.")
        }
        if next.sequence > UInt64(limits.transactionsPerScopeMax) {
            return .init(
                code: .quotaExceeded,
                message:
                    "Cannot store the transaction: the scope has had \(limits.transactionsPerScopeMax), which is the limit. "
                    + "Begin another scope.")
        }
        return nil
    }

    /// Returns the refusal of staging another part of a transaction, or `nil`.
    func refusal(ofStaging bytes: Int, besides staged: Int) -> PushReply.Refusal? {
        guard staged + bytes > limits.stagedBytesPerScopeMax else { return nil }
        return .init(
            code: .quotaExceeded,
            message:
                "Cannot keep a part of a transaction: the scope's devices have left \(staged) bytes of unfinished ones, the "
                + "limit is \(limits.stagedBytesPerScopeMax). Make it in smaller transactions.")
    }
}
