/// One thing that is done to the simulated world; what it leaves open follows from its own seed, so that leaving out other
/// steps changes nothing about this one.
package struct Step: Hashable, Sendable, CustomStringConvertible {
    package enum Writer: String, Hashable, Sendable, CaseIterable {
        case library
        /// A second process with the library.
        case otherProcess
        /// A program that knows only SQLite.
        case plainSQL
    }

    package enum Kind: Hashable, Sendable {
        case write(device: Int, Writer)
        /// One record is larger than the server takes, and its whole transaction is refused.
        case writeTooLarge(device: Int, Writer)
        /// A program that is not Roost's does something of a kind.
        case foreign(device: Int, ForeignKind)
        /// One round of synchronising.
        case synchronise(device: Int)
        /// Keeps the device synchronised until something ends that.
        case keepSynchronised(device: Int)
        case stop(device: Int)
        case pass(milliseconds: Int64)
        case cut(device: Int)
        case halfOpen(device: Int)
        case reconnect(device: Int)
        /// Larger bodies of a device are refused on the way, or do not arrive in time.
        case limitBodies(device: Int, bytes: Int, isSlow: Bool)
        case liftBodyLimit(device: Int)
        /// The server runs without its data for a while, as on a volume that is not mounted.
        case emptyServer(milliseconds: Int64)
        /// The server is started on a copy of its folder that was broken off after so much of the file.
        case startHalfServer(thousandths: Int)
        /// For a day the device stamps as far ahead as the server accepts, while others edit.
        case editAtBound(device: Int)
        /// Lets the device's disk die in one of its next operations.
        case crash(device: Int, after: UInt64, SimulatedDisk.Crash)
        case crashServer(after: UInt64, SimulatedDisk.Crash)
        case failDisk(device: Int, after: UInt64, count: UInt64)
        case failServerDisk(after: UInt64, count: UInt64)
        case jump(device: Int, milliseconds: Int64)
        case jumpServer(milliseconds: Int64)
        /// Sends an old request once more.
        case replay
        /// Sends changes in another's name.
        case forge
        case join
        case publishSchema
        case keepCopy(device: Int)
        case restore(device: Int)
        case copy(device: Int)
        case backupServer
        case restoreServer
        /// Days go by, some devices synchronise, and the server purges.
        case purge(afterDays: Int)
    }

    package var kind: Kind
    package var seed: UInt64

    package var description: String { "\(kind)" }
}
