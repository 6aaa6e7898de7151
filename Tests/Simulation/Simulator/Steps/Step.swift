/// One operation on the simulated run. Its details follow from its own seed, so that leaving out other steps does not change
/// them.
package struct Step: Hashable, Sendable, CustomStringConvertible {
    package enum Writer: String, Hashable, Sendable, CaseIterable {
        case library
        /// A second process with the library.
        case otherProcess
        /// A program without Roost's code.
        case plainSQL
    }

    package enum Kind: Hashable, Sendable {
        case write(device: Int, Writer)
        /// One record exceeds the server's limit, and its whole transaction is refused.
        case writeTooLarge(device: Int, Writer)
        /// A foreign program performs operations of a kind.
        case foreign(device: Int, ForeignKind)
        /// One round of synchronisation.
        case synchronise(device: Int)
        /// Keeps the device synchronised until another step ends the session.
        case keepSynchronised(device: Int)
        case stop(device: Int)
        case pass(milliseconds: Int64)
        case cut(device: Int)
        case halfOpen(device: Int)
        case reconnect(device: Int)
        /// Larger bodies of a device are refused by a proxy, or do not arrive in time.
        case limitBodies(device: Int, bytes: Int, isSlow: Bool)
        case liftBodyLimit(device: Int)
        /// The server runs without its data for a while, as on a volume that is not mounted.
        case emptyServer(milliseconds: Int64)
        /// The server is started on a truncated copy of its file, with the given share of its bytes.
        case startHalfServer(thousandths: Int)
        /// For a day, the device stamps as far ahead as the server accepts, while others edit.
        case editAtBound(device: Int)
        /// Makes the device's disk die in one of its next operations.
        case crash(device: Int, after: UInt64, SimulatedDisk.Crash)
        case crashServer(after: UInt64, SimulatedDisk.Crash)
        case failDisk(device: Int, after: UInt64, count: UInt64)
        case failServerDisk(after: UInt64, count: UInt64)
        case jump(device: Int, milliseconds: Int64)
        case jumpServer(milliseconds: Int64)
        /// Resends an old request.
        case replay
        /// Sends changes in the name of another replica.
        case forge
        case join
        case publishSchema
        case keepCopy(device: Int)
        case restore(device: Int)
        case copy(device: Int)
        case backupServer
        case restoreServer
        /// Lets days pass, synchronises some devices, and purges on the server.
        case purge(afterDays: Int)
    }

    package var kind: Kind
    package var seed: UInt64

    package var description: String { "\(kind)" }
}
