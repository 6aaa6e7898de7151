internal import Objects
internal import Replica

extension ExpenseBook {
    /// Refuses to write what the server would not take: of a member who may only read.
    ///
    /// - Throws: ``BookError/viewer(path:)``.
    package func checkMayWrite() throws {
        guard try replica.membership()?.role != "viewer" else { throw BookError.viewer(path: replica.path) }
    }
}
