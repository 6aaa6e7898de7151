public import Replica
internal import RoostProtocol
internal import Session
package import Transport

extension Replica {
    /// Consecutive failed attempts after which one synchronisation ends.
    private static let attemptsMax = 3

    /// Synchronises once: pushes pending changes, and pulls what is new.
    ///
    ///     let report = try await replica.synchronise()
    ///     if !report.isUpToDate { print(report.state) }
    ///
    /// The connection stays open for ten seconds. Requests of any replica of this process to this server use it within that time.
    ///
    /// Each wait is bounded: three consecutive attempts may fail, and a server that asks for a pause of more than 10 s is not waited
    /// for. The whole is bounded too, by ``SyncBounds/timeMax``. ``LiveSession`` synchronises until it is stopped.
    ///
    /// Cancelling the task ends the synchronisation: ``SyncReport/isRequested`` is true then, and what was exchanged is kept.
    ///
    /// - Parameters:
    ///   - bounds: The limits of what the server can make this device do.
    ///   - observe: Called with each new state.
    /// - Returns: A report of what was done, and whether the replica is up to date. A server that cannot be reached is a state in the
    ///   report, not an error; local work is unaffected.
    /// - Throws: ``RoostError``: `notConnected` if the replica belongs to no scope, `notPermitted` if its token file is missing or
    ///   damaged, `busy` if another program synchronises the replica. Nothing was exchanged then.
    public func synchronise(
        bounds: SyncBounds = SyncBounds(),
        observe: @escaping @Sendable (SessionState) -> Void = { _ in }
    ) async throws -> SyncReport {
        try await synchronise(by: .shared, bounds: bounds, observe: observe)
    }

    /// Synchronises once, with a transport of `pool`.
    package func synchronise(
        by pool: TransportPool, bounds: SyncBounds = SyncBounds(),
        observe: @escaping @Sendable (SessionState) -> Void = { _ in }
    ) async throws -> SyncReport {
        let access = try serverAccess("synchronise")
        guard let lease = try SyncLease(on: path) else {
            let holder = LeaseHolder(of: path)
            let progress =
                holder.isThisProgram
                ? "its session sends and receives all changes" : "\"roost status\" says how far it is"
            throw RoostError(
                .busy,
                "\(holder.name.prefix(1).uppercased())\(holder.name.dropFirst()) keeps \"\(path)\" synchronised; \(progress)."
            )
        }
        let report = try await access.withClient(of: pool, "synchronise") { client in
            beginCopyingLog()
            let synchronizer = Synchronizer(self, client, .once(attemptsMax: Self.attemptsMax), bounds: bounds) {
                observe(SessionState($0))
            }
            let report = await withTaskCancellationHandler {
                await synchronizer.run()
            } onCancel: {
                Task { await synchronizer.stop() }
            }
            endCopyingLog()
            return report
        }
        return withExtendedLifetime(lease) { report }
    }
}
