/// The branches of the server's history. A restore abandons every sequence after the backup and starts a branch there, so
/// that one sequence number may stand for different changes.
package struct ServerHistory: Sendable {
    /// The sequences that the server assigned between two restores.
    package struct Branch: Hashable, Sendable {
        fileprivate var number: Int
    }

    /// The branches of the present history, oldest first, each with the last sequence before it.
    private var branches: [(branch: Branch, after: UInt64)] = [(Branch(number: 0), 0)]
    private var restores = 0

    package init() {}

    /// Returns the branch of a sequence of the present history.
    package func branch(of sequence: UInt64) -> Branch {
        (branches.last { $0.after < sequence } ?? branches[0]).branch
    }

    /// Returns whether a branch's sequence is part of the present history.
    package func has(_ sequence: UInt64, of branch: Branch) -> Bool { self.branch(of: sequence) == branch }

    /// Abandons the sequences after the backup, and starts a branch.
    ///
    /// - Parameters:
    ///   - backup: The history when the backup was taken.
    ///   - head: The last sequence of the backup.
    package mutating func goBack(to backup: ServerHistory, head: UInt64) {
        restores += 1
        branches = backup.branches + [(Branch(number: restores), head)]
    }
}
