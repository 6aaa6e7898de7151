internal import Glibc

/// The program that holds the lease of a replica, in the words of messages.
package struct LeaseHolder: Sendable {
    /// Whether it is this program: another session, perhaps by another name of the file.
    package let isThisProgram: Bool
    private let process: Int32?

    /// Reads the program that holds the lease of the replica at a path. It may have ended since the lease was refused.
    package init(of path: String) {
        process = SyncLease.holder(of: path)
        isThisProgram = process == getpid()
    }

    /// The program, as the subject of a sentence.
    package var name: String {
        if isThisProgram { return "this program" }
        // The lock file may not name the process yet.
        guard let process, process > 0 else { return "another program" }
        return "another program (process \(process))"
    }

    /// The sentence that says how the lease is released.
    package var cure: String { isThisProgram ? "End its session first." : "Stop it first." }
}
