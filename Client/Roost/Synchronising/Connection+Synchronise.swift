public import Replica
internal import RoostProtocol
internal import Session
internal import Transport

extension Connection {
    /// How many attempts in a row may fail before synchronising once gives up.
    private static let attemptsMax = 3

    /// Synchronises once: pushes what waits, pulls what is new.
    ///
    /// - Returns: What was done, and whether the replica is up to date. A server that cannot be reached is a state in it,
    ///   not an error; local work is unaffected.
    /// - Throws: ``RoostError`` with the code `notConnected`, or `busy` where another program keeps the replica
    ///   synchronised.
    public static func synchronise(_ replica: Replica) async throws -> SyncReport {
        let membership = try connected(replica, "synchronise")
        let address = try address(membership.server, "synchronise")
        guard let lease = try SyncLease(on: replica.path) else {
            let holder = SyncLease.holder(of: replica.path).map { " (process \($0))" } ?? ""
            throw RoostError(
                .busy,
                "Another program\(holder) keeps \"\(replica.path)\" synchronised; \"roost status\" says how far it is.")
        }
        let transport: HTTPTransport
        do {
            transport = try HTTPTransport(to: address)
        } catch {
            throw RoostError(error, "synchronise")
        }
        let client = ServerClient(transport, token: membership.token)
        try? replica.beginCopyingLog()
        let report = await Synchronizer(replica, client, .once(attemptsMax: attemptsMax)).run()
        replica.endCopyingLog()
        await transport.shutdown()
        return withExtendedLifetime(lease) { report }
    }
}
