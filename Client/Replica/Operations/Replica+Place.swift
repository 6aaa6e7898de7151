internal import GRDB

extension Replica {
    /// A warning where the file has several names; `nil` where it has one.
    package var namesNotice: String? { FileNumber.notice(names: FileNumber.names(of: path)) }

    /// Where the open files are now. It costs a few system calls, and waits for nobody.
    package var fate: FileFate { place.fate }

    /// Leaves files that are not in their place any more, before the replica is closed.
    ///
    /// The log is copied into the open file, wherever that is now: a replica that was moved is complete then, and a file that has taken
    /// its place does not meet the log of another one. To be called by the process that holds the lease.
    package func leave(_ fate: FileFate) {
        switch fate {
        case .inPlace: return
        case .gone, .replaced: log.copyWhole(engine)
        case .logReplaced:
            // Two logs of one file cannot be joined.
            if !place.hasOtherLog { log.copyWhole(engine) }
        // This process does not see what others have added to the log since.
        case .logIndexReplaced, .lockReplaced: break
        case .tokenReplaced: return
        }
        log.copyNoMore()
    }
}
