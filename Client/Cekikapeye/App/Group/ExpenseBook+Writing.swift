internal import Objects
internal import Replica
internal import RoostModel

extension ExpenseBook {
    /// Checks that this device may write: the server would refuse the changes of a viewer.
    ///
    /// - Throws: ``BookError/viewer(path:)``.
    package func checkMayWrite() throws {
        guard try replica.membership()?.role != .viewer else { throw BookError.viewer(path: replica.path) }
    }
}
