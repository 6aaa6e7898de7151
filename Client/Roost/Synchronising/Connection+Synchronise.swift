public import Replica
internal import RoostProtocol
internal import Session
package import Transport

extension Connection {
    /// How many attempts in a row may fail before synchronising once gives up.
    private static let attemptsMax = 3

    /// Synchronises once: pushes what waits, pulls what is new.
    ///
    /// The connection is kept for ten seconds: what follows within them, of any replica of this process with this server,
    /// makes no other.
    ///
    /// Each wait is bounded: three attempts in a row may fail, and a server that asks for more than 10 s is not waited for.
    /// All of it is bounded too, see ``SyncBounds/timeMax``.
    ///
    /// - Parameters:
    ///   - replica: One that belongs to a scope.
    ///   - bounds: What the server can make this device do.
    ///   - observe: Called with each new state, in words, and whether it is one that needs attention.
    /// - Returns: What was done, and whether the replica is up to date. A server that cannot be reached is a state in it,
    ///   not an error; local work is unaffected.
    /// - Throws: ``RoostError`` with the code `notConnected`, or `busy` where another program keeps the replica
    ///   synchronised.
    public static func synchronise(
        _ replica: Replica, bounds: SyncBounds = SyncBounds(),
        observe: @escaping @Sendable (_ state: String, _ isTrouble: Bool) -> Void = { _, _ in }
    ) async throws -> SyncReport {
        try await synchronise(replica, by: .shared, bounds: bounds, observe: observe)
    }

    /// Synchronises once, with a transport of `pool`.
    package static func synchronise(
        _ replica: Replica, by pool: TransportPool, bounds: SyncBounds = SyncBounds(),
        observe: @escaping @Sendable (_ state: String, _ isTrouble: Bool) -> Void = { _, _ in }
    ) async throws -> SyncReport {
        let membership = try connected(replica, "synchronise")
        let address = try address(membership.server, "synchronise")
        guard let lease = try SyncLease(on: replica.path) else {
            let holder = SyncLease.holder(of: replica.path).map { " (process \($0))" } ?? ""
            throw RoostError(
                .busy,
                "Another program\(holder) keeps \"\(replica.path)\" synchronised; \"roost status\" says how far it is.")
        }
        let report = try await withTransport(of: pool, to: address, "synchronise") { transport in
            let client = ServerClient(transport, token: membership.token)
            replica.beginCopyingLog()
            let report = await Synchronizer(replica, client, .once(attemptsMax: attemptsMax), bounds: bounds) { state in
                observe(LiveSession.words(state), state.isTrouble)
            }.run()
            replica.endCopyingLog()
            return report
        }
        return withExtendedLifetime(lease) { report }
    }
}
