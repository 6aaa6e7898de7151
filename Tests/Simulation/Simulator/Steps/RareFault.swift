/// Faults of which a simulated run has only some, so that each can be seen apart from the others.
package enum RareFault: String, Hashable, Sendable, CaseIterable {
    case crash, powerLoss, serverCrash, cut, clock, disk, schema, copies, serverRestore, purge, joining, tooLarge
    case serverClock
    /// Bodies that do not get through; disks that stay full for long; a server without its data, or with half of it.
    case bodyLimits, fullDisk, emptyServer, halfServer
    /// An editor whose stamps are as far ahead as the server accepts, for a day.
    case boundEditor

    static let seldom: [RareFault] = [.bodyLimits, .fullDisk, .emptyServer, .halfServer, .boundEditor]
    static let usual = allCases.filter { !seldom.contains($0) }
}
