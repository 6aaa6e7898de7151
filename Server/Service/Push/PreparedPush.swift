package import RoostModel
package import RoostProtocol

/// A push that has been read and checked, as far as that needs no store.
package struct PreparedPush: Sendable {
    /// A change with the hash by which its put is merged.
    struct Change: Sendable {
        let change: RoostModel.Change
        /// The hash of a put's content; `nil` for a delete.
        let hash: ContentHash?

        init(_ change: RoostModel.Change) {
            self.change = change
            hash = if case .put(let encoded, _) = change.kind { ContentHash(of: encoded) } else { nil }
        }
    }

    struct Transaction: Sendable {
        var changes: [Change]
        var continues: Bool
        /// The bytes of its puts.
        var bytes: Int
        /// The reason why none of it can be stored; `nil` if there is none.
        var refusal: PushReply.Refusal?
        /// The changes whose put has a form that only earlier servers accepted. An edit of a record that already has such a
        /// put may keep the form. The refusal applies to all others.
        var earlierForms: [(key: RecordKey, refusal: PushReply.Refusal)] = []

        /// The encoded form in which a part of the transaction is staged.
        var staged: [UInt8] {
            let part = PushRequest.Transaction(changes: changes.map(\.change))
            return PushRequest(number: 0, checkpoint: nil, transactions: [part]).protobuf()
        }
    }

    let number: UInt64
    /// The SHA-256 of the body.
    let hash: [UInt8]
    let checkpoint: CheckpointSeal.Position?
    var transactions: [Transaction]

    /// The greatest milliseconds of its stamps.
    var newest: UInt64 { transactions.lazy.flatMap(\.changes).map(\.change.stamp.milliseconds).max() ?? 0 }

    var changeCount: Int { transactions.reduce(0) { $0 + $1.changes.count } }
}

extension PreparedPush {
    /// Reads a body, and checks everything that concerns the push alone: its size, its form, its puts.
    ///
    /// - Throws: A refusal of the whole push. A put that cannot be stored refuses only its transaction.
    package init(
        _ body: [UInt8], as type: MediaType, _ names: RecordJSON, from scope: ScopeID, seal: CheckpointSeal,
        limits: Limits
    ) throws(ProtocolError) {
        let request: PushRequest
        do {
            request = try PushRequest(body, as: type, names, changesMax: limits.changesPerPushMax)
        } catch {
            throw ProtocolError(error.code, "Cannot read the push: \(error.reason)")
        }
        try Self.checkShape(request)
        var position: CheckpointSeal.Position?
        if let checkpoint = request.checkpoint {
            position = try seal.open(checkpoint, of: scope)
        }
        number = request.number
        hash = SHA256Digest.of(body)
        checkpoint = position
        transactions = request.transactions.map { Transaction($0, limits) }
    }

    private static func checkShape(_ request: PushRequest) throws(ProtocolError) {
        guard request.number > 0, request.number <= UInt64(Int64.max) else {
            throw ProtocolError(.badRequest, "Cannot accept the push: its number is \(request.number). Count from 1.")
        }
        for (index, transaction) in request.transactions.dropLast().enumerated() where transaction.continues {
            throw ProtocolError(
                .badRequest,
                "Cannot accept push \(request.number): transaction \(index) of \(request.transactions.count) "
                    + "continues. Only the last one may.")
        }
    }
}

extension CodingError {
    /// The code of the request's refusal.
    var code: ErrorCode { cause == .tooMany ? .tooLarge : .badRequest }
}

extension PreparedPush.Transaction {
    init(_ transaction: PushRequest.Transaction, _ limits: Limits) {
        changes = []
        changes.reserveCapacity(transaction.changes.count)
        continues = transaction.continues
        bytes = 0
        for (index, change) in transaction.changes.enumerated() {
            changes.append(.init(change))
            guard case .put(let put, _) = change.kind else { continue }
            bytes += put.count
            if refusal == nil, let fault = PutCheck.refusal(of: put, limits: limits) {
                let reason = PushReply.Refusal(
                    code: fault.code,
                    message: "Cannot store the change of record \(change.key): \(fault.reason). Correct the record.",
                    index: index)
                if change.isEdit, PutCheck.refusal(of: put, limits: limits, form: .readable) == nil {
                    earlierForms.append((change.key, reason))
                } else {
                    refusal = reason
                }
            }
        }
    }

    /// Reads a staged part.
    init(staged part: StagedPart) throws {
        guard let transaction = try PushRequest(protobuf: part.body).transactions.first else {
            throw StoreError.damaged("a staged part holds no transaction")
        }
        self.init(transaction, Limits())
    }
}

extension Change {
    /// Whether the change is a put with a base.
    fileprivate var isEdit: Bool {
        if case .put(_, let base) = kind { base != nil } else { false }
    }
}
