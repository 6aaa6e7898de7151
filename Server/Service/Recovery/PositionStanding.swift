internal import RoostModel

/// Where a checkpoint stands to a scope's history.
package enum PositionStanding: Hashable, Sendable {
    /// In the history.
    case past
    /// In the part that an earlier incarnation shares with the history.
    case shared
    /// In an earlier incarnation that is known to have ended, beyond what the history has of it.
    case ended
    /// In none that this copy of the scope knows of: the server was put back to an earlier state behind its own back.
    case foreign
}

extension CheckpointSeal.Position {
    /// Where the position stands; it was made by this server for this scope.
    func standing(in scope: StoredScope, _ snapshot: any StoreSnapshot) throws -> PositionStanding {
        let isThere = try isOnChain(of: scope, in: snapshot)
        if epoch == scope.epoch { return isThere ? .past : .foreign }
        guard scope.past.endedEpochs.contains(epoch) else { return .foreign }
        return isThere ? .shared : .ended
    }

    /// The sequence up to which a replica that shows it needs nothing of what was purged.
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
