internal import RoostModel

/// The relation of a checkpoint to a scope's history.
package enum PositionStanding: Hashable, Sendable {
    /// The checkpoint is in the history.
    case past
    /// The checkpoint is in the part that an earlier incarnation shares with the history.
    case shared
    /// The checkpoint is in an earlier, ended incarnation, beyond the shared part.
    case ended
    /// The checkpoint is in no incarnation of this copy of the scope: the server was restored from a backup without its own
    /// command.
    case foreign
}

extension CheckpointSeal.Position {
    /// Returns the position's relation to the history of its scope. The position has to be one that this server made for
    /// the scope.
    func standing(in scope: StoredScope, _ snapshot: any StoreSnapshot) throws -> PositionStanding {
        let isThere = try isOnChain(of: scope, in: snapshot)
        if epoch == scope.epoch { return isThere ? .past : .foreign }
        guard scope.past.endedEpochs.contains(epoch) else { return .foreign }
        return isThere ? .shared : .ended
    }

    /// The sequence up to which a replica at this position needs no identifiers of purged records.
    var settled: UInt64 { max(sequence, echo) }

    private func isOnChain(of scope: StoredScope, in snapshot: any StoreSnapshot) throws -> Bool {
        #if ROOST_SEEDED_BUGS
            if SeededBug.chainHashIgnored.isOn { return sequence <= scope.head.sequence }
        #endif
        guard sequence <= scope.head.sequence, echo <= scope.head.sequence else { return false }
        if sequence == scope.head.sequence { return chain == scope.head.shortChain }
        if sequence == 0 { return chain == 0 }
        return try snapshot.chain(at: sequence, in: scope.key) == chain
    }
}
