internal import GRDB

extension Replica {
    /// A warning where the file has several names; `nil` where it has one.
    package var namesNotice: String? { FileNumber.notice(names: FileNumber.names(of: path)) }

    /// The state of the open files, compared with the files at the replica's path. It costs a few system calls and waits for
    /// no program.
    package var fate: FileFate { place.fate }

    /// Abandons open files that are not at the replica's path any more, before the replica is closed. Called by the process
    /// that holds the lease.
    ///
    /// The WAL is checkpointed into the open file, at its current location. A replica that was moved is complete then, and a
    /// file that has taken its place does not meet the WAL of the moved one.
    package func leave(_ fate: FileFate) {
        switch fate {
        case .inPlace: return
        case .gone, .replaced: log.copyWhole(engine)
        case .logReplaced:
            // Two WALs of one file cannot be joined.
            if !place.hasOtherLog { log.copyWhole(engine) }
        // This process does not see commits that other programs have added to the WAL since.
        case .logIndexReplaced, .lockReplaced: break
        case .tokenReplaced: return
        }
        log.copyNoMore()
    }
}
