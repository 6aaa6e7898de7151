internal import RoostModel
package import RoostProtocol

/// A reader of pages of changes since a checkpoint (protocol.md §7).
package struct PullHandler: Sendable {
    /// A page, encoded as ``PullReply``.
    package struct Page: Sendable {
        package var protobuf: [UInt8]
        package var isEmpty: Bool
        package var hasMore: Bool
        /// The replica's position when it asked.
        package var since: CheckpointSeal.Position
        /// The server's record of the replica's position before it asked.
        package var cursor: UInt64?
    }

    /// An error for a checkpoint that this server made and that is in no incarnation that it has.
    package struct RollbackAlarm: Error, Hashable, Sendable {
        package let position: CheckpointSeal.Position
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
    ///   - request: The request. Its `bytesMax` is bounded by ``Limits/pageBytesMax``.
    ///   - cursor: The replica's position by its last pull, if that is newer than the stored one.
    ///   - own: Sequences that contain only changes of the replica.
    /// - Returns: The page, and the replica as stored. It is not part of the page, because each waiting request keeps a
    ///   page.
    /// - Throws: ``ErrorCode/historyChanged`` for a checkpoint of an earlier incarnation, ``RollbackAlarm`` for one of no
    ///   incarnation, ``ErrorCode/resyncRequired`` for one before the floor, ``ErrorCode/revoked`` for a revoked replica.
    package func page(
        _ request: PageRequest, for member: Principal, cursor: UInt64? = nil,
        leavingOut own: ClosedRange<UInt64>? = nil, from snapshot: any StoreSnapshot, now: UInt64
    ) throws -> (page: Page, replica: StoredReplica) {
        guard let replica = try snapshot.replica(member.replica, in: member.scope), !replica.isRevoked else {
            throw AccessHandler.revoked
        }
        guard let scope = try snapshot.scope(member.scope) else { throw StoreError.damaged("a replica has no scope") }
        let cursor = cursor ?? replica.cursor
        let since = try position(request.since, scope, cursor, snapshot, now: now)
        let reader = PageReader(
            snapshot: snapshot, scope: scope, replica: member.replica, since: since,
            start: Self.start(since, leavingOut: own), known: Self.known(since, cursor),
            bytesMax: min(request.bytesMax ?? limits.pageBytesMax, limits.pageBytesMax))
        var contents = try request.takesIdentifiersAlone ? reader.read() : reader.readWithRecord()
        let (end, hasMore) = (contents.end, contents.hasMore)
        let chain = hasMore ? try snapshot.chain(at: end, in: scope.key) : scope.head.shortChain
        guard let chain else { throw StoreError.damaged("sequence \(end) has no chain hash") }
        let position = CheckpointSeal.Position(
            epoch: scope.epoch, sequence: end, echo: since.echo > end ? since.echo : 0, chain: chain)
        let reply = PullReply(
            records: [], purged: contents.builder.keys, checkpoint: seal.seal(position, of: scope.id), hasMore: hasMore,
            digest: hasMore ? nil : scope.head.digest, schemaVersion: scope.schemaVersion, serverTime: now)
        // The fields of a message may be encoded in several pieces: the records first, then the rest.
        let tail = PullReply.protobuf(reply, encodedRecords: contents.others)
        let isEmpty = contents.builder.hasNoRecords && reply.purged.isEmpty
        let page = Page(
            protobuf: contents.builder.finish(with: tail), isEmpty: isEmpty, hasMore: hasMore, since: since,
            cursor: cursor)
        return (page, replica)
    }

    /// Returns the sequence after which the page starts. The replica's own sequences are skipped if they directly follow
    /// its position and the replica has its own changes.
    private static func start(_ since: CheckpointSeal.Position, leavingOut own: ClosedRange<UInt64>?) -> UInt64 {
        guard let own, own.lowerBound <= since.sequence + 1, own.lowerBound > since.echo else { return since.sequence }
        return max(since.sequence, own.upperBound)
    }

    /// Returns the sequence up to which the replica has learned the identifiers of purged records.
    ///
    /// In a full resynchronisation, a replica may still have records that were purged since its last pull, and would bring
    /// them back; `cursor` is the position that it has learned. A new replica may have its own pushes.
    private static func known(_ since: CheckpointSeal.Position, _ cursor: UInt64?) -> UInt64 {
        since.echo > since.sequence ? max(since.sequence, cursor ?? 0) : since.sequence
    }

    // MARK: Checkpoints

    private func position(
        _ checkpoint: Checkpoint?, _ scope: StoredScope, _ cursor: UInt64?, _ snapshot: any StoreSnapshot, now: UInt64
    ) throws -> CheckpointSeal.Position {
        guard let checkpoint, !checkpoint.bytes.isEmpty else {
            return .init(epoch: scope.epoch, sequence: 0, echo: scope.head.sequence, chain: 0)
        }
        let position = try seal.open(checkpoint, of: scope.id)
        switch try position.standing(in: scope, snapshot) {
        case .past:
            if position.settled < scope.past.floor { throw Self.resyncRequired }
            return position
        case .shared: throw position.settled < scope.past.floor ? Self.resyncRequired : Self.historyChanged
        case .ended:
            // Once the replica has missed identifiers of purged records, its lost records cannot be told from purged ones.
            let hasMissedNames = scope.past.floor > cursor ?? 0 && !scope.past.isRecovering(at: now)
            throw hasMissedNames ? Self.resyncRequired : Self.historyChanged
        case .foreign: throw RollbackAlarm(position: position)
        }
    }

    static let historyChanged = ProtocolError(
        .historyChanged,
        "Cannot pull: the checkpoint is not in this scope's history. The server was restored; pull everything "
            + "anew without a checkpoint and bring back what is not there.")

    private static let resyncRequired = ProtocolError(
        .resyncRequired,
        "Cannot pull: the checkpoint is older than what was purged. Pull everything anew without a checkpoint, and forget "
            + "what is not there.")
}
