internal import RoostModel
package import RoostProtocol

/// Reads pages of what changed since a checkpoint (protocol.md §7).
package struct PullHandler: Sendable {
    /// A page, encoded as ``PullReply``.
    package struct Page: Sendable {
        package var protobuf: [UInt8]
        package var isEmpty: Bool
        package var hasMore: Bool
    }

    private let seal: CheckpointSeal
    private let limits: Limits

    package init(seal: CheckpointSeal, limits: Limits) {
        self.seal = seal
        self.limits = limits
    }

    /// Reads the next page: whole transactions up to a number of bytes, or one that alone is larger.
    ///
    /// - Parameters:
    ///   - checkpoint: `nil` for everything.
    ///   - bytesMax: Bounded by ``Limits/pageBytesMax``.
    /// - Throws: ``ErrorCode/historyChanged`` for a checkpoint that is not in the scope's history,
    ///   ``ErrorCode/revoked`` for a replica whose access was taken away.
    package func page(
        since checkpoint: Checkpoint?, for member: Principal, bytesMax: Int? = nil, from snapshot: any StoreSnapshot,
        now: UInt64
    ) throws -> Page {
        guard try snapshot.replica(member.replica, in: member.scope)?.isRevoked == false else {
            throw AccessHandler.revoked
        }
        guard let scope = try snapshot.scope(member.scope) else { throw StoreError.damaged("a replica has no scope") }
        let since = try position(checkpoint, scope, snapshot)
        var builder = PageBuilder(
            for: member.replica, since: since, bytesMax: min(bytesMax ?? limits.pageBytesMax, limits.pageBytesMax))
        if since.sequence < scope.head.sequence {
            try snapshot.forEachRecord(in: scope.key, after: since.sequence) { sequence, author, message in
                builder.add(message, sequence: sequence, author: author)
            }
        }
        let end = builder.hasMore ? builder.lastWhole : scope.head.sequence
        let chain = end == scope.head.sequence ? scope.head.shortChain : try snapshot.chain(at: end, in: scope.key)
        guard let chain else { throw StoreError.damaged("sequence \(end) has no chain hash") }
        let position = CheckpointSeal.Position(
            epoch: scope.epoch, sequence: end, echo: since.echo > end ? since.echo : 0, chain: chain)
        let reply = PullReply(
            records: [], checkpoint: seal.seal(position, of: scope.id), hasMore: builder.hasMore,
            digest: builder.hasMore ? nil : scope.head.digest, schemaVersion: scope.schemaVersion, serverTime: now)
        // A message's fields may stand in several pieces: the records first, then the rest.
        let tail = PullReply.protobuf(reply, encodedRecords: [])
        let isEmpty = builder.isEmpty
        return Page(protobuf: builder.finish(with: tail), isEmpty: isEmpty, hasMore: builder.hasMore)
    }

    private func position(
        _ checkpoint: Checkpoint?, _ scope: StoredScope, _ snapshot: any StoreSnapshot
    ) throws -> CheckpointSeal.Position {
        guard let checkpoint, !checkpoint.bytes.isEmpty else {
            return .init(epoch: scope.epoch, sequence: 0, echo: scope.head.sequence, chain: 0)
        }
        let position = try seal.open(checkpoint, of: scope.id)
        guard try position.isPast(of: scope, in: snapshot) else {
            throw ProtocolError(
                .historyChanged,
                "Cannot pull: the checkpoint is not in this scope's history. The server was restored; pull everything "
                    + "anew without a checkpoint and push what is not there.")
        }
        return position
    }
}
